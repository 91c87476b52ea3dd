import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { call, event, type RequestOptions, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { readEventPage } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Posts an event with the defaults below, overridden by `fields`, and returns the event's ID. */
async function post(target: Target, fields: JsonObject = {}, options: RequestOptions = {}): Promise<string> {
  const response = await call(target, '/v1/events', {
    // Without a conversation, the event would get advice.
    body: { ...event({ insertId: 'order-7', value: 'first', externalConversationId: 'chat-7' }), ...fields },
    ...options,
  })
  expect(response.status).toBe(201)
  return textOf(response, 'eventId')
}

async function readStoredEvents(target: Target) {
  const { events, total } = await readEventPage(target)
  expect(total).toBe(events.length)
  return events.map(({ eventId, fields, replays }) => ({ eventId, value: fields.value, replays }))
}

describe('a retry returns the first event’s ID', () => {
  test('despite a different payload, which is not stored and causes only advice, even with --strict', async () => {
    const sim = await startForTest({ strict: true })
    const eventId = await post(sim)
    const changes = { value: 'second', influence: 'negative', eventAt: '2025-12-24T00:00:00Z' }
    expect(await post(sim, changes)).toBe(eventId)
    expect(await readStoredEvents(sim)).toEqual([{ eventId, value: 'first', replays: 1 }])
    const { requests } = await callControl(sim, 'GET', '/requests?advice=true')
    const advice = { pointer: '/insertId', keyword: 'idempotency', message: expect.stringMatching(/event is kept/) }
    expect(requests).toMatchObject([{ advice: [advice] }])
  })

  test('after a restart with a different seed, even if the retry has a different sample rate', async () => {
    const state = join(await tempFolder(), 'nested', 'state.json')
    const first = await startForTest({ state, seed: '1' })
    const id = await post(first, { sampleRate: 0 })
    await first.close()
    const second = await startForTest({ state, seed: '2' })
    expect(await post(second, { sampleRate: 1, forceSample: true })).toBe(id)
    expect((await readEventPage(second)).events).toMatchObject([{ sampledOut: true, replays: 1 }])
  })
})

test('a refused request does not affect later requests', async ({ own }) => {
  const body = event({ insertId: 'order-7', value: 'scripted' })
  expect((await call(own, '/v1/events', { body: { ...body, value: 7 } })).status).toBe(400)
  expect((await call(own, '/v1/events', { body, headers: { 'x-sim-scenario': 'unavailable' } })).status).toBe(503)
  const eventId = await post(own)
  expect(await readStoredEvents(own)).toEqual([{ eventId, value: 'first', replays: 0 }])
})

test('an event’s ID is derived from the payload, not from the time of receipt', async () => {
  const body = event({ externalUserId: 'customer-1' })
  const idAt = async (clock: string) =>
    textOf(await call(await startForTest({ clock }), '/v1/events', { body }), 'eventId')
  expect(await idAt('2026-01-15T12:00:00Z')).toBe(await idAt('2026-03-01T00:00:00Z'))
})

test('eventAt is accepted in every documented format and stored in UTC', async ({ own }) => {
  const expected = {
    '2026-01-15T12:00:00.123456789Z': '2026-01-15T12:00:00.123Z',
    '2026-01-15T23:30:00-08:00': '2026-01-16T07:30:00.000Z',
    '2024-02-29': '2024-02-29T00:00:00.000Z',
    '2026-01-15T12:00Z': '2026-01-15T12:00:00.000Z',
    '2026-01-15T12:00+01:00': '2026-01-15T11:00:00.000Z',
    '2026-01-15T12:00': '2026-01-15T12:00:00.000Z',
  }
  for (const eventAt of Object.keys(expected)) await post(own, { eventAt, insertId: eventAt })
  const { events } = await readEventPage(own)
  expect(Object.fromEntries(events.map(({ fields }) => [fields.insertId, fields.eventAt]))).toEqual(expected)
})
