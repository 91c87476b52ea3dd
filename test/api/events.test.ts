import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, event, objectOf, type RequestOptions, readStateInfo, textOf } from '../support/client.ts'
import { faultsOf } from '../support/documented.ts'
import { postAll } from '../support/pipelined.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'
import { readAllEvents, readEventPage } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedSimulator()

/** Posts an event and gives its id; the answer is the documented one. */
async function record(
  sim: TestSimulator,
  fields: Parameters<typeof event>[0],
  how: RequestOptions = {},
): Promise<string> {
  const answer = await ask(sim, '/v1/events', { body: event(fields), ...how })
  expect(answer.status).toBe(201)
  expect(faultsOf('createEvent', 201, answer.body)).toEqual([])
  expect(objectOf(answer)).toEqual({ success: true, eventId: textOf(answer, 'eventId') })
  return textOf(answer, 'eventId')
}

const stateFile = async () => join(await tempFolder(), 'nested', 'state.json')

describe('one insertId', () => {
  test('stands for ever, even where the seed is another one by now', async () => {
    const file = await stateFile()
    const first = await startForTest({ state: file, seed: '1' })
    const id = await record(first, { insertId: 'order-1' })
    await first.close()
    const second = await startForTest({ state: file, seed: '2' })
    expect(await record(second, { insertId: 'order-1' })).toBe(id)
  })

  test('a retry of the very same body later is no other payload, although time has passed', async () => {
    const sim = await startForTest()
    const linked = { insertId: 'order-1', externalConversationId: 'chat-1' }
    await record(sim, linked, { headers: { 'x-sim-now': '2026-01-15T12:00:00Z' } })
    await record(sim, linked, { headers: { 'x-sim-now': '2026-01-15T12:00:07Z' } })
    expect(sim.logged.filter(({ fields }) => 'advice' in fields)).toEqual([])
  })

  test.each([
    ['', 'an empty text'],
    ['__proto__', 'the name of a prototype'],
    ['ключ-😀', 'letters of other alphabets'],
    ['x'.repeat(10_000), 'a very long text'],
  ])('may be %j', async (insertId) => {
    const sim = await startForTest()
    expect(await record(sim, { insertId })).toBe(await record(sim, { insertId }))
    expect(await readStateInfo(sim)).toMatchObject({ events: 1 })
  })
})

test('events without an insertId are recorded each time, with ids of their own', async () => {
  const sim = await startForTest()
  const ids = await Promise.all(Array.from({ length: 50 }, () => record(sim, {})))
  expect(new Set(ids).size).toBe(50)
  expect(await readStateInfo(sim)).toMatchObject({ events: 50 })
})

test('an id follows from the payload, not from the time of receipt', async () => {
  const ids = await Promise.all(
    ['2026-01-15T12:00:00Z', '2026-03-01T00:00:00Z'].map(async (clock) =>
      record(await startForTest({ clock }), { externalUserId: 'customer-1' }),
    ),
  )
  expect(ids[0]).toBe(ids[1])
})

describe('what is kept of an event', () => {
  test('has its defaults filled in, its impact, and every field that was sent', async () => {
    const sim = await startForTest()
    const id = await record(sim, { campaign: 'spring', properties: { seats: 5, nested: { a: [null, 'ü'] } } })
    expect(await readAllEvents(sim)).toMatchObject([
      {
        eventId: id,
        fields: {
          ...event(),
          campaign: 'spring',
          properties: { seats: 5, nested: { a: [null, 'ü'] } },
          valueType: 'text',
          influence: 'neutral',
          eventAt: frozenNow,
        },
        impact: 0,
        sampledOut: false,
        receivedAt: frozenNow,
        replays: 0,
      },
    ])
  })

  test.each([
    [{}, 0],
    [{ influence: 'positive' }, 1],
    [{ influence: 'negative' }, -1],
    [{ influence: 'neutral' }, 0],
    [{ qualityImpactScore: 0.25 }, 0.25],
    [{ qualityImpactScore: -0.7, influence: 'positive' }, -0.7],
    [{ qualityImpactScore: 0, influence: 'negative' }, 0],
    [{ qualityImpactScore: 1 }, 1],
    [{ qualityImpactScore: -1 }, -1],
  ])('%o weighs %d', async (fields, impact) => {
    const eventId = await record(shared(), fields)
    expect((await readEventPage(shared(), `eventId=${eventId}`)).events).toMatchObject([{ impact }])
  })
})

describe('sampling', () => {
  /** Posts `order-0` to `order-(count-1)` ; gives the insertIds that were kept. */
  async function sampled(count: number, sampleRate: number, more = {}, seed = '1'): Promise<string[]> {
    const sim = await startForTest({ seed })
    const bodies = Array.from({ length: count }, (_, n) => event({ insertId: `order-${n}`, sampleRate, ...more }))
    const answers = await postAll(sim.origin, '/v1/events', bodies)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const events = await readAllEvents(sim)
    expect(events.length).toBe(count)
    return events
      .filter(({ sampledOut }) => !sampledOut)
      .map(({ fields }) => String(fields.insertId))
      .sort()
  }

  test('keeps about 200 of 2,000 at a rate of 0.1, and the same ones on a second run', async () => {
    const first = await sampled(2_000, 0.1)
    // Four standard deviations of a fair choice are 54.
    expect(first.length).toBeGreaterThan(146)
    expect(first.length).toBeLessThan(254)
    const ofFirstHundreds = first.filter((insertId) => Number(insertId.slice('order-'.length)) < 300)
    expect(await sampled(300, 0.1)).toEqual(ofFirstHundreds)
  })

  test('chooses others with another seed', async () => {
    expect(await sampled(200, 0.5, {}, '1')).not.toEqual(await sampled(200, 0.5, {}, '2'))
  })

  test.each([
    ['nothing at a rate of 0', 0, {}, 0],
    ['everything at a rate of 1', 1, {}, 100],
    ['everything with forceSample, even at a rate of 0', 0, { forceSample: true }, 100],
    ['nothing more with forceSample: false', 0, { forceSample: false }, 0],
  ])('keeps %s', async (_name, rate, more, expected) => {
    expect((await sampled(100, rate, more)).length).toBe(expected)
  })

  test('meets a retry with the same fate after a restart, whatever the retry says', async () => {
    const file = await stateFile()
    const first = await startForTest({ state: file })
    const id = await record(first, { insertId: 'order-1', sampleRate: 0 })
    await first.close()
    const second = await startForTest({ state: file })
    expect(await record(second, { insertId: 'order-1', sampleRate: 1, forceSample: true })).toBe(id)
    expect(await readAllEvents(second)).toMatchObject([{ sampledOut: true, replays: 1 }])
  })
})
