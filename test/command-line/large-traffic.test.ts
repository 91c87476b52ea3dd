// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { findingsOf, runDrift } from '../support/drift.ts'
import { harEntry, writeHar } from '../support/har.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

const created = { success: true, eventId: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d' }

/** Returns a HAR entry for a `createEvent` request with this response body. */
const recordedEvent = (body: JsonObject, token = 'opaque-token', host = 'api') => {
  const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
  return harEntry(`https://${host}.example.com/v1/events`, body, { method: 'POST', status: 201, headers })
}

const newFields = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]))

describe('convsim drift', () => {
  test('lists 500 of 5,001 differences, without the requests’ tokens', async () => {
    const entries = Array.from({ length: 5000 }, (_, index) =>
      recordedEvent({ ...created, [`field${index}`]: `opaque-token-${index % 100}` }, `opaque-token-${index % 100}`),
    )
    const broken = recordedEvent({ ...created, success: 'yes' }, 'opaque-token-0')
    const run = await runDrift(['--har', await writeHar([...entries, broken])])
    expect(run.report).toMatchObject({ verdict: 'drift', judged: { createEvent: 5001 }, omitted: 4501 })
    expect(run.report.findings).toHaveLength(500)
    expect(findingsOf(run)).toContain('wrong-type /success') // differences that break clients are listed first
    expect(run.stdout).not.toContain('opaque-token')
  })

  test('names only the first five of many services', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => recordedEvent(created, undefined, `api${index}`))
    const { stderr } = await runDrift(['--har', await writeHar(entries)])
    expect(stderr).toContain('https://api4.example.com and 45 more. Also pass the base URL')
    expect(stderr).not.toContain('api5.example.com')
  })

  test('shows its progress on one line in a terminal and clears the line at the end', async () => {
    const entries = Array.from({ length: 20 }, () => recordedEvent(created))
    let now = 0
    const shown: string[] = []
    const terminal = (text: string) => void shown.push(text.replace('\r\u001b[2K', ''))
    const clock = () => (now += 1000)
    const { stderr } = await runInProcess(['drift', '--har', await writeHar(entries)], {}, { terminal, now: clock })
    expect(stderr).toBe('')
    expect(shown.some((line) => line.startsWith('convsim drift: comparing responses: 19 of 20, '))).toBe(true)
    expect(shown.at(-1)).toBe('')
  })

  test('writes a patch with many changes', async () => {
    const folder = await tempFolder()
    const patch = join(folder, 'patch.yaml')
    const har = await writeHar([recordedEvent({ ...created, ...newFields(201) })])
    const { stderr } = await runDrift(['--har', har, '--samples', '1', '--patch', patch])
    expect(stderr).toContain('with it, the same responses show no drift.')
    const patched = await runDrift(['--har', har, '--samples', '1', '--overlay', patch])
    expect(patched.report.findings).toEqual([])
  })

  test('treats an object with more than 200 new fields as a dictionary', async () => {
    const patch = join(await tempFolder(), 'patch.yaml')
    const har = await writeHar([recordedEvent({ ...created, few: newFields(3), many: newFields(201) })])
    await runDrift(['--har', har, '--samples', '1', '--patch', patch])
    const text = await readFile(patch, 'utf8')
    expect([text.includes('field2:'), text.includes('field200')]).toEqual([true, false])
  })
})
