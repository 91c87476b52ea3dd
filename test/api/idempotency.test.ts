import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { ask, event, objectOf, type RequestOptions, textOf } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { readEventPage } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Posts the event that all of this file is about, and gives its id. */
async function post(target: Target, about: JsonObject = {}, how: RequestOptions = {}): Promise<string> {
  const answer = await ask(target, '/v1/events', {
    body: event({
      insertId: 'order-7',
      value: 'first',
      influence: 'positive',
      externalConversationId: 'chat-7', // without one, there would be advice to link it
      ...about,
    }),
    ...how,
  })
  expect(answer.status).toBe(201)
  return textOf(answer, 'eventId')
}

/** What is kept, in the words of this file. */
async function kept(target: Target, sandbox = 'default') {
  const { events, total } = await readEventPage(target, `sandbox=${sandbox}`)
  expect(total).toBe(events.length)
  return events.map(({ eventId, fields, replays }) => ({ eventId, value: fields.value, replays }))
}

const inSandbox = (name: string) => ({ headers: { 'x-sim-sandbox': name } })

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

  test('of a hundred at once, each with a payload of its own: one stands, all get its id', async () => {
    const sim = await startForTest()
    const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => post(sim, { value: `payload ${n}` })))
    const events = await kept(sim)
    expect(events).toMatchObject([{ eventId: ids[0], replays: 99 }])
    expect(new Set(ids).size).toBe(1)
    const differing = sim.logged.filter(({ fields }) => 'advice' in fields)
    expect(differing).toHaveLength(99)
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

  test('after a restore of a snapshot that holds it, with the replays that it had then', async () => {
    const sim = await startForTest()
    const eventId = await post(sim)
    await post(sim)
    const { snapshotId } = objectOf(await ask(sim, '/__sim/snapshots', { method: 'POST', token: null }))
    await post(sim)
    await steer(sim, 'POST', `/snapshots/${snapshotId}/restore`)
    expect(await kept(sim)).toEqual([{ eventId, value: 'first', replays: 1 }])
    expect(await post(sim, { value: 'second' })).toBe(eventId)
    expect(await kept(sim)).toEqual([{ eventId, value: 'first', replays: 2 }])
  })

  test('in the process that its sandbox was moved to', async () => {
    const [from, to] = [await startForTest(), await startForTest({ seed: 'another' })]
    const eventId = await post(from)
    await steer(to, 'POST', '/import', await steer(from, 'GET', '/export'))
    expect(await post(to, { value: 'second' })).toBe(eventId)
    expect(await kept(to)).toEqual([{ eventId, value: 'first', replays: 1 }])
  })
})

describe('what looks like a retry and is none', () => {
  const sim = sharedSimulator()

  test('the same insertId in another sandbox is another event', async () => {
    const here = await post(sim(), {}, inSandbox('a'))
    const there = await post(sim(), { value: 'second' }, inSandbox('b'))
    expect(there).not.toBe(here)
    expect(await kept(sim(), 'a')).toEqual([{ eventId: here, value: 'first', replays: 0 }])
    expect(await kept(sim(), 'b')).toEqual([{ eventId: there, value: 'second', replays: 0 }])
  })

  test('after a restore of a snapshot from before it, it is recorded as if for the first time', async () => {
    const how = inSandbox('c')
    const taken = await ask(sim(), '/__sim/snapshots?sandbox=c', { method: 'POST', token: null })
    await post(sim(), {}, how)
    await steer(sim(), 'POST', `/snapshots/${objectOf(taken)['snapshotId']}/restore?sandbox=c`)
    expect(await kept(sim(), 'c')).toEqual([])
    const eventId = await post(sim(), { value: 'second' }, how)
    expect(await kept(sim(), 'c')).toEqual([{ eventId, value: 'second', replays: 0 }])
  })

  test('after a reset, too', async () => {
    const how = inSandbox('d')
    await post(sim(), {}, how)
    await steer(sim(), 'POST', '/reset?sandbox=d')
    const eventId = await post(sim(), { value: 'second' }, how)
    expect(await kept(sim(), 'd')).toEqual([{ eventId, value: 'second', replays: 0 }])
  })

  test('a request that was refused has left no trace that a later one could meet', async () => {
    const how = inSandbox('e')
    const refused = await ask(sim(), '/v1/events', { body: event({ insertId: 'order-7', value: 7 }), ...how })
    expect(refused.status).toBe(400)
    const scripted = await ask(sim(), '/v1/events', {
      body: event({ insertId: 'order-7', value: 'scripted' }),
      headers: { ...how.headers, 'x-sim-scenario': 'unavailable' },
    })
    expect(scripted.status).toBe(503)
    const eventId = await post(sim(), {}, how)
    expect(await kept(sim(), 'e')).toEqual([{ eventId, value: 'first', replays: 0 }])
  })
})
