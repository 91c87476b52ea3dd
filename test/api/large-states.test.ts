// @module-tag long
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { call, event, prompt } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'

const at = '2026-01-15T12:00:00.000Z'

const uuid = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`

const defaults = { valueType: 'text', influence: 'neutral', eventAt: at }

/** Returns an event in the format of an export, in a conversation of its own. */
const storedEvent = (index: number) => ({
  eventId: uuid(index),
  fields: { ...event(defaults), insertId: `e${index}`, externalConversationId: `c${index}` },
  impact: 0,
  sampledOut: false,
  receivedAt: at,
  replays: 0,
})

const events = Array.from({ length: 20_000 }, (_, index) => storedEvent(index))
const document = { format: 1, quality: { weight: 0.1 }, events, prompts: [] }

/** A file with this thread's processor time, which does not depend on other processes. Only Linux has the file. */
const schedstatFile = '/proc/thread-self/schedstat'
const onLinux = test.runIf(existsSync(schedstatFile))

/** Returns the processor time, in milliseconds, used by this thread, which also runs the simulator. */
const usedMs = () => Number(readFileSync(schedstatFile, 'utf8').split(' ')[0]) / 1e6

/**
 * Sends a request and measures the work in each turn of the event loop until the response arrives. Other requests
 * cannot be handled during a turn. `longestShare` is the longest turn's share (0 to 1) of all the work.
 */
async function sendMeasured(sim: TestSimulator, path: string, body?: Json) {
  let isHandled = false
  const pendingResponse = call(sim, path, { token: null, ...(body !== undefined && { body }) }).finally(() => {
    isHandled = true
  })
  const turns: number[] = []
  for (let before = usedMs(); !isHandled; before = usedMs()) {
    await nextTurn()
    turns.push(usedMs() - before)
  }
  const response = await pendingResponse
  turns.pop() // the last turn is the client's: it parses the response
  const all = turns.reduce((sum, turn) => sum + turn, 0)
  return { ...response, longestShare: Math.max(...turns) / all }
}

/** The limit for `longestShare`. The share is nearly 1 if the work is not split up. */
const maxShare = 0.35

onLinux('other requests can be handled while 20,000 events are imported, refused, exported and assessed', async () => {
  const sim = await startForTest()
  const imported = await sendMeasured(sim, '/__sim/import', document)
  expect(imported).toMatchObject({ status: 200, text: '{"events":20000,"prompts":0}' })
  expect(imported.longestShare).toBeLessThan(maxShare)
  const wrong = { ...document, events: [...events.slice(1), { ...storedEvent(0), impact: '7' }] }
  const refused = await sendMeasured(sim, '/__sim/import', wrong)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('/events/19999/impact must be a number')
  expect(refused.longestShare).toBeLessThan(maxShare)
  const exported = await sendMeasured(sim, '/__sim/export')
  expect(exported.body).toEqual(document)
  const quality = await sendMeasured(sim, '/__sim/quality')
  expect(quality.body).toMatchObject({ conversations: { length: 20_000 } })
  for (const { headers, longestShare } of [exported, quality]) {
    expect(headers.get('transfer-encoding')).toBe('chunked')
    expect(longestShare).toBeLessThan(maxShare)
  }
})

onLinux('other requests can be handled while ten records with 36,000 items or members each are imported', async () => {
  const sim = await startForTest()
  const list = new Array(36_000).fill(0)
  const properties = Object.fromEntries(list.map((_, index) => [`p${index}`, index]))
  const records = Array.from({ length: 5 }, (_, index) => [
    { ...storedEvent(index), list },
    { ...storedEvent(index + 5), fields: { ...storedEvent(index + 5).fields, properties } },
  ])
  const imported = await sendMeasured(sim, '/__sim/import', { ...document, events: records.flat() })
  expect(imported).toMatchObject({ status: 200, text: '{"events":10,"prompts":0}' })
  expect(imported.longestShare).toBeLessThan(maxShare)
})

onLinux('other requests can be handled while more than 15 MB of prompts are listed', async () => {
  const sim = await startForTest()
  for (let index = 0; index < 20; index += 1) {
    const components = [{ type: 'system', content: `${index} ${'say "hello"\n'.repeat(60_000)}` }]
    expect((await call(sim, '/v1/prompts', { body: prompt({ externalPromptId: 'p', components }) })).status).toBe(201)
  }
  const listed = await sendMeasured(sim, '/__sim/prompts')
  expect(listed.text.length).toBeGreaterThan(15_000_000)
  expect(listed.body).toMatchObject({ prompts: [{ versions: { length: 20 } }] })
  expect(listed.headers.get('transfer-encoding')).toBe('chunked')
  expect(listed.longestShare).toBeLessThan(maxShare)
})

test('clients never see a partial import', async ({ own }) => {
  let isDone = false
  const pendingImport = callControl(own, 'POST', '/import', document).finally(() => {
    isDone = true
  })
  const totals = new Set<unknown>()
  while (!isDone) {
    const page = JSON.parse((await call(own, '/__sim/events?limit=0', { token: null })).text)
    totals.add(page.total)
  }
  await pendingImport
  for (const total of totals) expect([0, 20_000]).toContain(total)
  expect(totals).toContain(0)
})
