// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { analyticsPath } from '../support/client.ts'
import { placesOf, runDrift } from '../support/drift.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { harEntry, writeHar } from '../support/har.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

const created = { success: true, eventId: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d' }

/** Returns the recorded answer to an event. */
const recordedEvent = (body: JsonObject, token = 'opaque-token', origin = 'https://api.example.com') =>
  harEntry(`${origin}/v1/events`, body, {
    method: 'POST',
    headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    status: 201,
  })

/** Returns new fields for an answer. */
const newFields = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]))

describe('convsim drift', () => {
  test('of 5,000 exchanges with tokens and differences of their own lists 500 of these', async () => {
    const entries = Array.from({ length: 5000 }, (_, index) =>
      recordedEvent({ ...created, [`field${index}`]: `opaque-token-${index}` }, `opaque-token-${index}`),
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
    const entries = Array.from({ length: 50 }, (_, index) =>
      recordedEvent(created, 'opaque-token', `https://api${index}.example.com`),
    )
    const { stderr } = await runDrift(['--har', await writeHar(entries)])
    expect(stderr).toContain('https://api4.example.com and 45 more. Give the base URL')
    expect(stderr).not.toContain('api5.example.com')
  })

  test('judges what fits of an answer of the service with more members than are judged, and says so', async () => {
    let isWide = false // one answer is enough: each takes seconds
    const upstream = await startFakeUpstream((answer) => {
      if (isWide || typeof answer.body === 'string' || !('messageCount' in answer.body)) return
      isWide = true
      answer.body = { ...newFields(250_000), ...answer.body, messageCount: 'many' }
    })
    const id = '--ids=modelId=00000000-0000-4000-8000-000000000003'
    const run = await runDrift([upstream.baseUrl, id, '--samples', '1'])
    expect(run.code).toBe(3)
    expect(placesOf(run)).toContain('wrong-type /messageCount')
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
      'reading exchanges: 39 of 40',
      'asking the simulator: 19 of 20',
      'comparing answers: 19 of 20',
    ])
      expect(shown.some((line) => line.startsWith(`convsim drift: ${title}, `))).toBe(true)
    expect(shown.at(-1)).toBe('')
  })

  test('writes a patch of many changes, which takes an object with more than 200 new names for a dictionary', async () => {
    const patch = join(await tempFolder(), 'patch.yaml')
    const body = { ...created, ...newFields(201), few: newFields(3), many: newFields(201) }
    const flags = ['--har', await writeHar([recordedEvent(body)]), '--samples', '1']
    const { stderr } = await runDrift([...flags, '--patch', patch])
    expect(stderr).toContain('with it the same answers show no drift.')
    expect((await runDrift([...flags, '--overlay', patch])).report.findings).toEqual([])
    const text = await readFile(patch, 'utf8')
    expect([text.match(/field2:/g)?.length, text.match(/field200:/g)?.length]).toEqual([2, 1])
  })
})

describe('convsim record', () => {
  const recordHar = async (entries: readonly object[] | string) =>
    runInProcess(['record', await writeHar(entries), '--out', join(await tempFolder(), 'fixtures')])

  const analytics = (text: string) => harEntry(`https://api.example.com${analyticsPath}`, text)

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
