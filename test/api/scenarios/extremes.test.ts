import { describe, expect, test } from 'vitest'
import { isObject, type Json } from '../../../src/base/core/json.ts'
import { analyticsPath, call, expectRefusal } from '../../support/client.ts'
import { sharedSimulator } from '../../support/shared.ts'

const sim = sharedSimulator()

const readAnalytics = async (scenario: string) => {
  const response = await call(sim(), analyticsPath, { scenario })
  expect(response.status).toBe(200)
  return JSON.parse(response.text)
}

/** Lists the leaf values in a body, each with the path of its field. Items have the path of their list. */
function listValues(value: Json, field = ''): [field: string, value: Json][] {
  if (Array.isArray(value)) return value.flatMap((item) => listValues(item, field))
  if (!isObject(value)) return [[field, value]]
  return Object.entries(value).flatMap(([name, inner]) => listValues(inner, `${field}/${name}`))
}

describe('a valid response with extreme values', () => {
  test('has empty lists', async () => {
    const body = await readAnalytics('no-null, empty-lists')
    expect(body.dataPoints).toEqual([])
    expect(body.recommendations).toMatchObject({ strengths: [], recommendations: [], detectedIssues: [] })
  })

  test('has the largest numbers that the contract allows', async () => {
    const body = await readAnalytics('no-null, largest-numbers')
    const numbers = new Set(listValues(body).flatMap(([, value]) => (typeof value === 'number' ? value : [])))
    expect([...numbers].sort((a, b) => a - b)).toEqual([1, 5, 100, Number.MAX_SAFE_INTEGER])
  })

  test.each([
    ['longest-texts', /^This text just keeps going\. [\s\S]{9972}$/],
    ['strange-texts', /"It's" .*<b>.*[\s\S]*\n[\s\S]*שלום.*👩‍👩‍👧‍👦/u],
  ])('has the values of %s in free text, but not in labels, dates or enums', async (scenario, pattern) => {
    const values = listValues(await readAnalytics(`no-null, ${scenario}`))
    const fields = new Set(values.flatMap(([field, value]) => (pattern.test(String(value)) ? field : [])))
    expect(fields).toContain('/recommendations/summary')
    expect(fields).toContain('/recommendations/recommendations/rationale/whyThisMatters')
    for (const field of fields) expect(field).toMatch(/^\/recommendations\//)
    for (const field of ['/recommendations/healthLevel', '/recommendations/recommendations/priority'])
      expect(fields).not.toContain(field)
  })

  test('has the extreme values only in the named fields', async () => {
    const plain = await readAnalytics('no-null')
    const body = await readAnalytics('no-null, longest-texts;fields=recommendations.summary')
    expect(body.recommendations.summary).toHaveLength(10_000)
    expect({ ...body.recommendations, summary: '' }).toEqual({ ...plain.recommendations, summary: '' })
    expect(await readAnalytics('no-null')).toEqual(plain)
  })

  test('keeps null values that another scenario causes', async () => {
    const body = await readAnalytics('largest-numbers, null;fields=avgSafetyScore')
    expect(body).toMatchObject({ avgSafetyScore: null, messageCount: Number.MAX_SAFE_INTEGER })
    expect((await readAnalytics('all-null, longest-texts')).recommendations).toBeNull()
  })

  test.each([
    ['largest-numbers;fields=mesageCount', /does not apply to the field "mesageCount"\. Did you mean "messageCount"/],
    ['longest-texts, strange-texts', /cannot both act on one response/],
  ])('is not sent for the invalid scenario %s', async (scenario, reason) => {
    expectRefusal(await call(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } }), 400, reason)
  })
})
