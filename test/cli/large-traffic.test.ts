// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { runDrift } from '../support/drift.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

const created = { success: true, eventId: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d' }

/** An entry of a HAR file: the answer to an event. */
const recordedEvent = (body: JsonObject, token = 'opaque-token') => ({
  request: {
    method: 'POST',
    url: 'https://api.example.com/v1/events',
    headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
  },
  response: { status: 201, content: { mimeType: 'application/json', text: JSON.stringify(body) } },
})

async function writeHar(entries: readonly Json[] | string): Promise<string> {
  const file = join(await tempFolder(), 'traffic.har')
  const list = typeof entries === 'string' ? entries : JSON.stringify(entries)
  await writeFile(file, `{"log":{"entries":${list}}}`)
  return file
}

/** Returns new fields for an answer. */
const newFields = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]))

describe('convsim drift', () => {
  test('of 5,000 exchanges with tokens and differences of their own lists 500 of these', async () => {
    const entries = Array.from({ length: 5000 }, (_, index) =>
      recordedEvent({ ...created, [`field${index}`]: `opaque-token-${index % 100}` }, `opaque-token-${index % 100}`),
    )
    const run = await runDrift(['--har', await writeHar(entries)])
    expect(run.report).toMatchObject({ verdict: 'drift', judged: { createEvent: 5000 }, omitted: 4500 })
    expect(run.report.findings).toHaveLength(500)
    expect(run.stdout).not.toContain('opaque-token')
  })

  test('says how many exchanges of a recording it left out', async () => {
    const entries = `[${JSON.stringify(recordedEvent(created))},${'{},'.repeat(100_000)}{}]`
    const { report } = await runDrift(['--har', await writeHar(entries), '--samples', '1'])
    expect(report.notJudged).toContainEqual({
      operation: '',
      reason: 'too-many-entries',
      count: 0,
      sentence: 'The first 100,000 exchanges of a recording are read; 2 were left out. Export a part of the traffic.',
    })
  })

  test('names some of many services', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => {
      const one = recordedEvent(created)
      return { ...one, request: { ...one.request, url: `https://api${index}.example.com/v1/events` } }
    })
    const { stderr } = await runDrift(['--har', await writeHar(entries)])
    expect(stderr).toContain('https://api4.example.com and 45 more. Give the base URL')
    expect(stderr).not.toContain('api5.example.com')
  })

  test('leaves out an answer of the service with more members than are judged, and says so', async () => {
    let isWide = false // one answer is enough: each takes seconds
    const upstream = await startFakeUpstream((answer) => {
      if (isWide || typeof answer.body === 'string' || !('messageCount' in answer.body)) return
      isWide = true
      answer.body = { ...newFields(250_000), ...answer.body, messageCount: 'many' }
    })
    const id = '--ids=modelId=00000000-0000-4000-8000-000000000003'
    const run = await runDrift([upstream.baseUrl, id, '--samples', '1'])
    expect(run.code).toBe(0)
    expect(run.report).toMatchObject({ judged: { getModelAnalytics: 2 } }) // of three, one for each period
    expect(run.report.notJudged.find(({ reason }) => reason === 'too-many-members')?.sentence).toContain(
      'at most 200,000 in 64 levels are judged',
    )
  })

  test('shows its progress on a terminal, and removes it before the report', async () => {
    const entries = Array.from({ length: 20 }, () => recordedEvent(created))
    let now = 0
    const shown: string[] = []
    const terminal = (text: string) => void shown.push(text.replace('\r\u001b[2K', ''))
    const clock = () => {
      now += 1000
      return now
    }
    const { stderr } = await runInProcess(['drift', '--har', await writeHar(entries)], {}, { terminal, now: clock })
    expect(stderr).toBe('')
    for (const title of [
      'reading exchanges: 19 of 20',
      'asking the simulator: 19 of 20',
      'comparing answers: 19 of 20',
    ])
      expect(shown.some((line) => line.startsWith(`convsim drift: ${title}, `))).toBe(true)
    expect(shown.at(-1)).toBe('')
  })

  test('writes a patch of many changes', async () => {
    const folder = await tempFolder()
    const patch = join(folder, 'patch.yaml')
    const har = await writeHar([recordedEvent({ ...created, ...newFields(201) })])
    const { stderr } = await runDrift(['--har', har, '--samples', '1', '--patch', patch])
    expect(stderr).toContain('with it the same answers show no drift.')
    const patched = await runDrift(['--har', har, '--samples', '1', '--overlay', patch])
    expect(patched.report.findings).toEqual([])
  })

  test('takes an object with more than 200 new names for a dictionary', async () => {
    const patch = join(await tempFolder(), 'patch.yaml')
    const har = await writeHar([recordedEvent({ ...created, few: newFields(3), many: newFields(201) })])
    await runDrift(['--har', har, '--samples', '1', '--patch', patch])
    const text = await readFile(patch, 'utf8')
    expect([text.includes('field2:'), text.includes('field200')]).toEqual([true, false])
  })
})

describe('convsim record', () => {
  const recordHar = async (entries: readonly Json[] | string) =>
    runInProcess(['record', await writeHar(entries), '--out', join(await tempFolder(), 'fixtures')])

  const analytics = (text: string) => ({
    request: { method: 'GET', url: 'https://api.example.com/v1/models/4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34/analytics' },
    response: { status: 200, content: { mimeType: 'application/json', text } },
  })

  test('says how many exchanges of a recording it left out', async () => {
    const { stderr } = await recordHar(`[${'{},'.repeat(100_000)}{}]`)
    expect(stderr).toContain('The first 100,000 exchanges of a recording are read; 1 were left out.')
  })

  test.each([
    ['{"messageCount":1,"messageCount":2}', 'the body has the member "messageCount" twice in one object'],
    ['{"a":}', 'the body must be JSON: line 1, column 6 has "}"'],
    [`{"a":[${'1,'.repeat(1_000_000)}1]}`, 'the body has more than 1,000,000 members and items'],
  ])('says why an answer is left out', async (text, reason) => {
    const { stderr } = await recordHar([analytics(text)])
    expect(stderr).toContain(`left out, 1 of them: ${reason}`)
  })

  test('lists 50 reasons for answers that it leaves out, and counts the others', async () => {
    const { stderr } = await recordHar(
      Array.from({ length: 70 }, (_, index) => analytics(`{"x${index}":}`.padStart(index + 9))),
    )
    expect(stderr.match(/^left out/gm)).toHaveLength(51)
    expect(stderr).toContain('left out, for 20 more reasons')
  })
})
