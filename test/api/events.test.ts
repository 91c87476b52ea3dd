import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { ask, event, type RequestOptions, textOf } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { steer } from '../support/control.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'
import { readEventPage } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Posts the event that all of this file is about, and gives its id. */
async function post(target: Target, about: JsonObject = {}, how: RequestOptions = {}): Promise<string> {
  const answer = await ask(target, '/v1/events', {
    // Without a conversation there would be advice to link it.
    body: { ...event({ insertId: 'order-7', value: 'first', externalConversationId: 'chat-7' }), ...about },
    ...how,
  })
  expect(answer.status).toBe(201)
  return textOf(answer, 'eventId')
}

/** What is kept, in the words of this file. */
async function kept(target: Target) {
  const { events, total } = await readEventPage(target)
  expect(total).toBe(events.length)
  return events.map(({ eventId, fields, replays }) => ({ eventId, value: fields.value, replays }))
}

describe('a retry meets the first event', () => {
  test('at once, with the same payload, and is counted', async () => {
    const sim = await startForTest()
    const eventId = await post(sim)
    expect([await post(sim), await post(sim)]).toEqual([eventId, eventId])
    expect(await kept(sim)).toEqual([{ eventId, value: 'first', replays: 2 }])
  })

  test('with another payload, which is told as advice and changes nothing that is kept', async () => {
    const sim = await startForTest()
    const eventId = await post(sim)
    const other = { value: 'second', influence: 'negative', eventAt: '2025-12-24T00:00:00Z' }
    expect(await post(sim, other)).toBe(eventId)
    expect(await kept(sim)).toEqual([{ eventId, value: 'first', replays: 1 }])
    const advice = sim.logged.flatMap(({ fields }) => ('advice' in fields ? [fields.advice] : []))
    expect(advice).toMatchObject([[{ pointer: '/insertId', message: expect.stringMatching(/first one stands/) }]])
  })

  test('with another payload, which the journal tells of that one request', async () => {
    const sim = await startForTest()
    for (const value of ['first', 'first', 'second']) await post(sim, { value })
    const requests = async (query: string) => (await steer(sim, 'GET', `/requests?${query}`))['requests']
    expect(await requests('advice=true')).toMatchObject([{ advice: [{ keyword: 'idempotency' }] }])
    expect(await requests('advice=false')).toHaveLength(2)
  })

  test('with another payload, in strict mode too: which payload came first is no fault of the request', async () => {
    const sim = await startForTest({ strict: true })
    const eventId = await post(sim)
    expect(await post(sim, { value: 'second' })).toBe(eventId)
  })

  test('of the very same body is no other payload, although time has passed', async () => {
    const sim = await startForTest()
    for (const time of ['12:00:00', '12:00:07'])
      await post(sim, {}, { headers: { 'x-sim-now': `2026-01-15T${time}Z` } })
    expect(sim.logged.filter(({ fields }) => 'advice' in fields)).toEqual([])
  })

  test('of a hundred at once, each with a payload of its own: one stands, all get its id', async () => {
    const sim = await startForTest()
    const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => post(sim, { value: `payload ${n}` })))
    expect(new Set(ids).size).toBe(1)
    expect(await kept(sim)).toMatchObject([{ eventId: ids[0], replays: 99 }])
  })

  test('after a restart with another seed, whatever the retry says of sampling', async () => {
    const state = join(await tempFolder(), 'nested', 'state.json')
    const first = await startForTest({ state, seed: '1' })
    const id = await post(first, { sampleRate: 0 })
    await first.close()
    const second = await startForTest({ state, seed: '2' })
    expect(await post(second, { sampleRate: 1, forceSample: true })).toBe(id)
    expect((await readEventPage(second)).events).toMatchObject([{ sampledOut: true, replays: 1 }])
  })

  test('after a restart, a graceful one or kill -9', async () => {
    const state = join(await tempFolder(), 'state.json')
    const expected = { eventId: '', value: 'first', replays: 0 }
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
      const command = convsim(['--port', '0', '--state', state])
      const origin = await command.ready()
      const eventId = await post({ origin }, { value: expected.eventId === '' ? 'first' : signal })
      if (expected.eventId !== '') expected.replays += 1
      expected.eventId ||= eventId
      expect(await kept({ origin })).toEqual([expected])
      command.process.kill(signal)
      await command.ended
    }
    expect(expected.replays).toBe(3)
  })

  test('in the process that its sandbox was moved to', async () => {
    const [from, to] = [await startForTest(), await startForTest({ seed: 'another' })]
    const eventId = await post(from)
    await steer(to, 'POST', '/import', await steer(from, 'GET', '/export'))
    expect(await post(to, { value: 'second' })).toBe(eventId)
    expect(await kept(to)).toEqual([{ eventId, value: 'first', replays: 1 }])
  })
})

test('a request that was refused leaves no trace that a later one could meet', async () => {
  const sim = await startForTest()
  const body = event({ insertId: 'order-7', value: 'scripted' })
  expect((await ask(sim, '/v1/events', { body: { ...body, value: 7 } })).status).toBe(400)
  expect((await ask(sim, '/v1/events', { body, headers: { 'x-sim-scenario': 'unavailable' } })).status).toBe(503)
  const eventId = await post(sim)
  expect(await kept(sim)).toEqual([{ eventId, value: 'first', replays: 0 }])
})

test('an id follows from the payload, not from the time of receipt', async () => {
  const body = event({ externalUserId: 'customer-1' })
  const idAt = async (clock: string) =>
    textOf(await ask(await startForTest({ clock }), '/v1/events', { body }), 'eventId')
  expect(await idAt('2026-01-15T12:00:00Z')).toBe(await idAt('2026-03-01T00:00:00Z'))
})

test('what is kept of an event has its defaults, its impact, and every field that was sent', async () => {
  const sim = await startForTest()
  const body = event({ campaign: 'spring', properties: { seats: 5, nested: { a: [null, 'ü'] } } })
  const answer = await ask(sim, '/v1/events', { body })
  const eventId = textOf(answer, 'eventId')
  expect(answer.body).toEqual({ success: true, eventId })
  const fields = { ...body, valueType: 'text', influence: 'neutral', eventAt: frozenNow }
  const stored = { eventId, fields, impact: 0, sampledOut: false, receivedAt: frozenNow, replays: 0 }
  expect((await readEventPage(sim)).events).toMatchObject([stored])
})
