import { describe, expect } from 'vitest'
import type { Json } from '../../../src/base/core/json.ts'
import { call, errorOf, event, expectRefusal, textOf } from '../../support/client.ts'
import { startForTest, type TestSimulator, test } from '../../support/start.ts'
import { readEventPage } from '../../support/stored-records.ts'

const countEvents = async (sim: TestSimulator) => (await readEventPage(sim)).total

/** Posts an event and returns the status, or the error code if the connection ends before a response arrives. */
const post = (sim: TestSimulator, body: Json, headers: Record<string, string> = {}): Promise<number | string> =>
  call(sim, '/v1/events', { body, headers }).then(
    ({ status }) => status,
    ({ cause }) => cause.code,
  )

const lostAck = { 'x-sim-scenario': 'lost-ack' }

describe('lost-ack', () => {
  test('stores the event and loses the response; a retry with the same insertId returns the event’s ID', async ({
    own,
  }) => {
    const twin = await startForTest()
    const body = event({ insertId: 'order-7' })
    expect(await post(own, body, lostAck)).toBe('ECONNRESET')
    expect(await countEvents(own)).toBe(1)
    const retry = await call(own, '/v1/events', { body })
    expect(retry.status).toBe(201)
    // The twin has the same seed, so it returns the ID that the lost response contained.
    expect(textOf(retry, 'eventId')).toBe(textOf(await call(twin, '/v1/events', { body }), 'eventId'))
    expect(await countEvents(own)).toBe(1)
  })

  test('also loses a slow or damaged response', async ({ own }) => {
    const startedAt = performance.now()
    for (const scenario of ['slow;ms=100, lost-ack', 'drop-field, lost-ack', 'lost-ack, drop-field'])
      expect(await post(own, event(), { 'x-sim-scenario': scenario })).toBe('ECONNRESET')
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    expect(await countEvents(own)).toBe(3)
  })

  test('does not lose a refusal, since nothing was stored', async ({ own }) => {
    expectRefusal(await call(own, '/v1/events', { body: { value: 'x' }, headers: lostAck }), 400, /eventType/)
    const refused = await call(own, '/v1/events', {
      body: event(),
      headers: { 'x-sim-scenario': 'lost-ack, unavailable' },
    })
    expect(errorOf(refused)).toMatch(/cannot both act/)
    const almostCertain = { 'x-sim-scenario': 'lost-ack, unavailable;p=0.999999' }
    expect((await call(own, '/v1/events', { body: event(), headers: almostCertain })).status).toBe(503)
    expect(await countEvents(own)).toBe(0)
  })
})
