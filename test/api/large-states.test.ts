// @module-tag long
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { ask, event, prompt } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'

const at = '2026-01-15T12:00:00.000Z'

const uuid = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`

const defaults = { valueType: 'text', influence: 'neutral', eventAt: at }

/** Returns an event of an export, in a separate conversation. */
const stored = (index: number) => ({
  eventId: uuid(index),
  fields: { ...event(defaults), insertId: `e${index}`, externalConversationId: `c${index}` },
  impact: 0,
  sampledOut: false,
  receivedAt: at,
  replays: 0,
})

const events = Array.from({ length: 20_000 }, (_, index) => stored(index))
const document = { format: 1, quality: { weight: 0.1 }, events, prompts: [] }

/** Only Linux reports the processor time of a thread, which other processes do not affect. */
const workFile = '/proc/thread-self/schedstat'
const onLinux = test.runIf(existsSync(workFile))

/** Returns the milliseconds of processor time that this thread, with the simulator, has used. */
const workedMs = () => Number(readFileSync(workFile, 'utf8').split(' ')[0]) / 1e6

/**
 * Sends a request, and measures the work in each turn of the event loop until it is handled. `longestBlock` is the
 * share of the longest turn, in which other requests wait, in all work.
 */
async function sendMeasured(sim: TestSimulator, path: string, body?: Json) {
  let isHandled = false
  const responding = ask(sim, path, { token: null, ...(body !== undefined && { body }) }).finally(() => {
    isHandled = true
  })
  const blocks: number[] = []
  for (let before = workedMs(); !isHandled; before = workedMs()) {
    await nextTurn()
    blocks.push(workedMs() - before)
  }
  const response = await responding
  blocks.pop() // the text is decoded, and checked against the document of the control plane
  const all = blocks.reduce((sum, block) => sum + block, 0)
  return { ...response, longestBlock: Math.max(...blocks) / all }
}

/** Work in one block has a share of nearly 1. */
const mostOfOneBlock = 0.35

onLinux('other requests are handled while 20,000 events are imported, refused, exported and rated', async () => {
  const sim = await startForTest()
  const imported = await sendMeasured(sim, '/__sim/import', document)
  expect(imported).toMatchObject({ status: 200, text: '{"events":20000,"prompts":0}' })
  expect(imported.longestBlock).toBeLessThan(mostOfOneBlock)
  const wrong = { ...document, events: [...events.slice(1), { ...stored(0), impact: '7' }] }
  const refused = await sendMeasured(sim, '/__sim/import', wrong)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('/events/19999/impact must be a number')
  expect(refused.longestBlock).toBeLessThan(mostOfOneBlock)
  const exported = await sendMeasured(sim, '/__sim/export')
  expect(exported.body).toEqual(document)
  const rated = await sendMeasured(sim, '/__sim/quality')
  expect(rated.body).toMatchObject({ conversations: { length: 20_000 } })
  for (const { headers, longestBlock } of [exported, rated]) {
    expect(headers.get('transfer-encoding')).toBe('chunked')
    expect(longestBlock).toBeLessThan(mostOfOneBlock)
  }
})

onLinux('other requests are handled while ten records with 36,000 items or members each are imported', async () => {
  const sim = await startForTest()
  const list = new Array(36_000).fill(0)
  const properties = Object.fromEntries(list.map((_, index) => [`p${index}`, index]))
  const records = Array.from({ length: 5 }, (_, index) => [
    { ...stored(index), list },
    { ...stored(index + 5), fields: { ...stored(index + 5).fields, properties } },
  ])
  const imported = await sendMeasured(sim, '/__sim/import', { ...document, events: records.flat() })
  expect(imported).toMatchObject({ status: 200, text: '{"events":10,"prompts":0}' })
  expect(imported.longestBlock).toBeLessThan(mostOfOneBlock)
})

onLinux('other requests are handled while 20 MB of prompts are listed', async () => {
  const sim = await startForTest()
  for (let index = 0; index < 20; index += 1) {
    const components = [{ type: 'system', content: `${index} ${'say "hello"\n'.repeat(60_000)}` }]
    expect((await ask(sim, '/v1/prompts', { body: prompt({ externalPromptId: 'p', components }) })).status).toBe(201)
  }
  const listed = await sendMeasured(sim, '/__sim/prompts')
  expect(listed.text.length).toBeGreaterThan(15_000_000)
  expect(listed.body).toMatchObject({ prompts: [{ versions: { length: 20 } }] })
  expect(listed.headers.get('transfer-encoding')).toBe('chunked')
  expect(listed.longestBlock).toBeLessThan(mostOfOneBlock)
})

test('clients never see a partial import', async ({ own }) => {
  let isDone = false
  const importing = steer(own, 'POST', '/import', document).finally(() => {
    isDone = true
  })
  const totals = new Set<unknown>()
  while (!isDone) {
    const page = JSON.parse((await ask(own, '/__sim/events?limit=0', { token: null })).text)
    totals.add(page.total)
  }
  await importing
  for (const total of totals) expect([0, 20_000]).toContain(total)
  expect(totals).toContain(0)
})
