import { Agent, get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { isObject, type Json } from '../../src/core/json.ts'
import { type DeliveryOutcome, delivered } from '../../src/exchange/delivery.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { Journal } from '../../src/journal/journal.ts'
import { mannersRules } from '../../src/reports/judge-retry.ts'
import { Manners } from '../../src/reports/manners.ts'
import { entryFor, unparsed } from '../journal/entries.ts'
import { analyticsPath, ask, askOperation, event, operations } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { askRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { type Habits, polite, runClient } from './retrying-client.ts'

const sim = sharedSimulator()

interface Finding {
  readonly rule: string
  readonly sentence: string
  readonly count: number
  readonly requests: readonly string[]
}

async function findingsIn(target: TestSimulator, sandbox: string): Promise<readonly Finding[]> {
  const { findings } = await steer(target, 'GET', `/manners?sandbox=${sandbox}`)
  return findings as unknown as readonly Finding[] // the sweep checks it by the document
}

const rulesIn = async (sandbox: string) => [...new Set((await findingsIn(sim(), sandbox)).map(({ rule }) => rule))]

describe('a client that meets faults of all kinds', () => {
  test.each(['1', '2', '3'])('has no findings if it is polite, with seed %s', async (seed) => {
    await runClient(sim(), `polite-${seed}`, polite, seed)
    expect(await findingsIn(sim(), `polite-${seed}`)).toEqual([])
  })

  const impolite: readonly { readonly habit: keyof Habits; readonly rule: keyof typeof mannersRules }[] = [
    { habit: 'heedsRetryAfter', rule: 'retry-after' },
    { habit: 'backsOff', rule: 'back-off' },
    { habit: 'keepsInsertId', rule: 'same-insert-id' },
    { habit: 'acceptsRefusals', rule: 'no-retry' },
    { habit: 'sendsContentType', rule: 'content-type' },
  ]

  test.each(impolite)('breaks only the rule $rule without the habit $habit', async ({ habit, rule }) => {
    await runClient(sim(), habit, { ...polite, [habit]: false }, '1')
    expect(await rulesIn(habit)).toEqual([rule])
  })

  test('has findings with the requests that show them', async () => {
    const headers = { 'x-sim-sandbox': 'shown', 'x-sim-scenario': 'rate-limited;retry-after=30' }
    const ids: (string | null)[] = []
    for (const _ of [1, 2, 3]) ids.push((await ask(sim(), analyticsPath, { headers })).headers.get('x-request-id'))
    expect(await findingsIn(sim(), 'shown')).toMatchObject([{ rule: 'retry-after', count: 2, requests: ids }])
  })
})

describe('over HTTP', () => {
  const inSandbox = (sandbox: string, scenario?: string) => ({
    'x-sim-sandbox': sandbox,
    ...(scenario !== undefined && { 'x-sim-scenario': scenario }),
  })

  test('a request without User-Agent breaks a rule', async () => {
    const lines = ['GET /v1/models/x/analytics HTTP/1.1', 'Host: a', 'Authorization: Bearer k', 'X-Sim-Sandbox: raw']
    await askRaw(sim().origin, `${lines.join('\r\n')}\r\n\r\n`)
    expect(await rulesIn('raw')).toEqual(['user-agent'])
  })

  test('an event that is sent again without any insertId breaks a rule', async () => {
    const headers = inSandbox('no-id', '503;retry-after=0')
    await askOperation(sim(), operations[2], { headers })
    await askOperation(sim(), operations[2], { headers })
    const [finding] = await findingsIn(sim(), 'no-id')
    expect(finding?.sentence).toMatch(/answered with 503 was sent again without an insertId/)
    expect(finding?.requests).toHaveLength(2)
  })

  test.each([
    ['another body', { body: event({ value: '2' }) }],
    ['another key', { token: 'another-key' }],
  ])('a refused call with %s is another call', async (name, change) => {
    const sandbox = `differs-${name.replaceAll(' ', '-')}`
    const headers = inSandbox(sandbox, 'forbidden')
    await askOperation(sim(), operations[2], { headers })
    await askOperation(sim(), operations[2], { ...change, headers })
    expect(await findingsIn(sim(), sandbox)).toEqual([])
  })

  test.each([
    ['x-sim-scenario', 'forbidden'],
    ['x-sim-sequence', 'forbidden'],
    ['prefer', 'code=403'],
    ['x-sim-seed', '7'],
    ['x-sim-now', '2031-01-15T12:00:00Z'],
  ])('a try with the header %s and the same request without it are tries of one call', async (name, value) => {
    const sandbox = `one-call-${name}`
    await putRules(sim(), [{ scenario: 'forbidden', times: 1 }], sandbox)
    const headers = { ...inSandbox(sandbox), [name]: value }
    const how = { path: '/v1/models/unknown/analytics', id: 'getModelAnalytics', method: 'GET' }
    await askOperation(sim(), { ...operations[0], ...how }, { headers })
    await askOperation(sim(), { ...operations[0], ...how }, { headers: inSandbox(sandbox) })
    expect(await rulesIn(sandbox)).toEqual(['no-retry'])
  })

  test('an error whose body the client cancels is a failed try, and its Retry-After counts', async () => {
    const { origin } = sim()
    for (const scenario of ['429;retry-after=30, dribble;ms=60000', '503;retry-after=30, dribble;ms=60000']) {
      const headers = {
        ...inSandbox('cancelled', scenario),
        authorization: 'Bearer k',
        'content-type': 'application/json',
      }
      const answer = await fetch(`${origin}/v1/events`, {
        method: 'POST',
        headers,
        body: JSON.stringify(event()),
      })
      await answer.body?.cancel()
      await steer(sim(), 'POST', '/verify?sandbox=cancelled', { count: { atLeast: 1 }, withinMs: 2000 })
    }
    const question = { count: { exactly: 2 }, withinMs: 2000 }
    await steer(sim(), 'POST', '/verify?sandbox=cancelled', question)
    expect(await rulesIn('cancelled')).toEqual(['retry-after'])
    const { chains } = await steer(sim(), 'GET', '/retries?sandbox=cancelled')
    const attempts = [429, 503].map((status) => ({ status, outcome: 'failed', retryAfterMs: 30_000 }))
    expect(chains).toMatchObject([{ attempts }])
  })

  test('refusals of the simulator itself are not judged', async () => {
    for (const _ of [1, 2]) await ask(sim(), analyticsPath, { headers: inSandbox('own', 'no-such-scenario') })
    expect(await findingsIn(sim(), 'own')).toEqual([])
  })

  test('the findings come with the rules', async () => {
    expect(await steer(sim(), 'GET', '/manners')).toMatchObject({ rules: mannersRules, further: 0 })
  })
})

describe('a client that asks ten times at the same time', () => {
  const isLimited = (statuses: readonly number[]) => expect(statuses.filter((one) => one === 429)).toHaveLength(7)

  test('over a connection for each has no findings', async () => {
    const limited = await startForTest({ maxAnalysesPerHour: 3 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(limited, analyticsPath)))
    isLimited(answers.map(({ status }) => status))
    expect(await findingsIn(limited, 'default')).toEqual([])
  })

  test('over three connections that it keeps has no findings', async () => {
    const limited = await startForTest({ maxAnalysesPerHour: 3 })
    const agent = new Agent({ keepAlive: true, maxSockets: 3 })
    isLimited(await Promise.all(Array.from({ length: 10 }, () => statusOver(agent, limited))))
    agent.destroy()
    expect(await findingsIn(limited, 'default')).toEqual([])
  })

  function statusOver(agent: Agent, { origin }: TestSimulator): Promise<number> {
    const headers = { authorization: 'Bearer any-key', 'user-agent': 'test' }
    return new Promise((resolve, reject) => {
      const onAnswer = (answer: IncomingMessage) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      get(origin + analyticsPath, { agent, headers }, onAnswer).on('error', reject)
    })
  }
})

describe('a client that sends the same call again', () => {
  /** An attempt of the call with its answer. */
  interface SampleAttempt {
    /** The machine's time, milliseconds. */
    readonly at: number
    readonly status: number
    /** The sandbox's time, milliseconds. Default: 0. */
    readonly now?: number
    /** The duration of the answer, milliseconds. Default: 0. */
    readonly takes?: number
    readonly headers?: Record<string, string>
    /** Default: delivered. */
    readonly delivery?: DeliveryOutcome
    readonly body?: Json
    /** Headers of the request. */
    readonly sent?: Record<string, string>
    /** The machine's time at which the head of the answer was sent. Default: it was not. */
    readonly headSentAt?: number
    /** The machine's time at which the connection was opened. Default: for an earlier request. */
    readonly openedAt?: number
    /** True where the client closed the connection. Default: false. */
    readonly hasLeft?: boolean
  }

  function brokenRules(attempts: readonly SampleAttempt[]): readonly string[] {
    const journal = new Journal(100)
    const manners = new Manners(new Set(['createEvent']))
    journal.onEntry((entry, live) => manners.record(entry, live))
    for (const attempt of attempts) journal.record(...exchangeOf(journal, attempt))
    return manners.findings.list().flatMap(({ subject, count }) => Array.from({ length: count }, () => subject.rule))
  }

  function exchangeOf(
    journal: Journal,
    { at, status, now = 0, takes = 0, headers = {}, delivery = delivered, ...others }: SampleAttempt,
  ) {
    const { body, sent = {}, headSentAt, openedAt, hasLeft = false } = others
    const entry: JournalEntry = {
      ...entryFor(journal, {
        request: { headers: { 'user-agent': 'test', 'content-type': 'application/json', ...sent } },
        answer: { status, headers },
        requestBody: JSON.stringify(body ?? { insertId: 'a' }),
      }),
      at,
      now,
      delivery,
      receivedAt: at,
      endedAt: at + takes,
      headSentAt,
      openedAt,
      hasClientLeft: hasLeft,
    }
    const request = isObject(body) ? body : { insertId: 'a' }
    return [entry, { ...unparsed, request, token: 'k' }] as const
  }

  /** The body of an event with its time, by which it is known without a count. */
  const dated = (insertId: string) => ({ insertId, v: 1, eventAt: '2026-01-15T12:00:00Z' })
  const lost: DeliveryOutcome = { kind: 'client-gone', sentBytes: 0 }
  const counted = (insertId: string, count: number) => ({
    body: { insertId, v: 1 },
    sent: { 'retry-attempt': String(count) },
  })
  const unnamed = (count: number) => ({ body: { v: 1 }, sent: { 'retry-attempt': String(count) } })
  const corrected = (count: number) => ({ ...unnamed(count), body: { v: 1, corrected: true } })
  const wait3 = { 'Retry-After': '3', 'retry-after-ms': '2500' }

  test.each<{ name: string; attempts: readonly SampleAttempt[]; rules: readonly string[] }>([
    {
      name: 'may come back after the shorter of two demanded waits',
      attempts: [
        { at: 0, status: 429, headers: wait3 },
        { at: 2500, status: 201 },
      ],
      rules: [],
    },
    {
      name: 'may come back early within the tolerance',
      attempts: [
        { at: 0, status: 503, headers: wait3 },
        { at: 2480, status: 201 },
      ],
      rules: [],
    },
    {
      name: 'must not come back earlier than the tolerance',
      attempts: [
        { at: 0, status: 503, headers: wait3 },
        { at: 2479, status: 201 },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'must wait from the end of a slow answer',
      attempts: [
        { at: 0, takes: 1000, status: 429, headers: wait3 },
        { at: 3000, status: 201 },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'may wait in the time of the sandbox, if its clock is advanced',
      attempts: [
        { at: 0, now: 0, status: 429, headers: wait3 },
        { at: 100, now: 2500, status: 201 },
      ],
      rules: [],
    },
    {
      name: 'may send it concurrently, which is no retry',
      attempts: [
        { at: 0, takes: 50, status: 429, headers: wait3 },
        { at: 10, takes: 5, status: 429, headers: wait3 },
      ],
      rules: [],
    },
    {
      name: 'must not send it in the millisecond of the answer, which is a retry',
      attempts: [
        { at: 0, takes: 1.5, status: 429, headers: wait3 },
        { at: 1.6, status: 201 },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'may send many concurrently through a few connections, which are no retries',
      attempts: [
        { at: 0, takes: 5, status: 429, headers: wait3 },
        { at: 1, takes: 5, status: 429, headers: wait3 },
        { at: 5.1, status: 429, headers: wait3 },
        { at: 6.1, status: 429, headers: wait3 },
      ],
      rules: [],
    },
    {
      name: 'may send it again at once if it says that it is no retry',
      attempts: [
        { at: 0, status: 429, headers: wait3, sent: { 'x-stainless-retry-count': '0' } },
        { at: 1, status: 429, headers: wait3, sent: { 'x-stainless-retry-count': '0' } },
        { at: 2500, status: 200, sent: { 'x-stainless-retry-count': '1' } },
      ],
      rules: [],
    },
    {
      name: 'must wait if it says that it is a retry, also among concurrent calls',
      attempts: [
        { at: 0, takes: 5, status: 429, headers: wait3 },
        { at: 1, takes: 5, status: 429, headers: wait3 },
        { at: 10, status: 429, headers: wait3, sent: { 'retry-attempt': '1' } },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'may send it with another insertId after a 429, since nothing was stored',
      attempts: [
        { at: 0, status: 429, headers: wait3, body: { insertId: 'a', v: 1 } },
        { at: 3000, status: 201, body: { v: 1, insertId: 'b' } },
      ],
      rules: [],
    },
    {
      name: 'must not send it with another insertId after a lost 429, which may have been a success',
      attempts: [
        { at: 0, status: 429, delivery: lost, body: dated('a') },
        { at: 3000, status: 201, body: dated('b') },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'may send it an hour later, which is no retry',
      attempts: [
        { at: 0, status: 404 },
        { at: 3_600_000, status: 404 },
      ],
      rules: [],
    },
    {
      name: 'may send it after a success, which ends the chain',
      attempts: [
        { at: 0, status: 500 },
        { at: 1000, status: 201 },
        { at: 1001, status: 500 },
      ],
      rules: [],
    },
    {
      name: 'must not send it at once after a failure',
      attempts: [
        { at: 0, status: 500 },
        { at: 9, status: 201 },
      ],
      rules: ['back-off'],
    },
    {
      name: 'may send it at once after a lost answer',
      attempts: [
        { at: 0, status: 201, delivery: lost },
        { at: 1, status: 201 },
      ],
      rules: [],
    },
    {
      name: 'must not send it at once after several lost answers',
      attempts: [
        { at: 0, status: 201, delivery: lost },
        { at: 1, status: 201, delivery: lost },
        { at: 2, status: 201 },
      ],
      rules: ['back-off'],
    },
    {
      name: 'may wait equally long each time',
      attempts: [0, 100, 200, 300, 400].map((at) => ({ at, status: 500 })),
      rules: [],
    },
    {
      name: 'may wait once for less time, because of jitter',
      attempts: [0, 100, 500, 700, 1500].map((at) => ({ at, status: 500 })),
      rules: [],
    },
    {
      name: 'must not wait for less than half of the time again and again',
      attempts: [0, 900, 1300, 1480].map((at) => ({ at, status: 502 })),
      rules: ['back-off'],
    },
    {
      name: 'may wait for a quarter less each time, at a cap and because of jitter',
      attempts: [0, 8000, 14_100, 18_800, 22_500].map((at) => ({ at, status: 502 })),
      rules: [],
    },
    {
      name: 'may send events together that differ in their insertId alone, and retry each in its time',
      attempts: [
        { at: 0, status: 429, headers: { 'Retry-After': '1' }, body: { insertId: 'a', v: 1 } },
        { at: 1, status: 500, body: { insertId: 'b', v: 1 } },
        { at: 450, status: 201, body: { insertId: 'b', v: 1 } },
        { at: 1000, status: 201, body: { insertId: 'a', v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'may send equal events with an insertId of each, which are different calls',
      attempts: [
        { at: 0, status: 500, body: { insertId: 'a', v: 1 } },
        { at: 1, status: 500, body: { insertId: 'b', v: 1 } },
        { at: 500, status: 201, body: { insertId: 'b', v: 1 } },
        { at: 501, status: 201, body: { insertId: 'a', v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'may give up an event and send an equal one with another insertId, if it keeps that of each',
      attempts: [
        { at: 0, status: 500, body: { insertId: 'a', v: 1 } },
        { at: 500, status: 500, body: { insertId: 'a', v: 1 } },
        { at: 1000, status: 201, body: { insertId: 'b', v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'must not send it with another insertId, also among equal events, if it says that it is a retry',
      attempts: [
        { at: 0, takes: 9, status: 500, ...counted('a', 0) },
        { at: 1, takes: 9, status: 500, ...counted('b', 0) },
        { at: 500, status: 201, ...counted('c', 1) },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'must not send two equal events with other insertIds, also if the retry of one lasts until that of the other',
      attempts: [
        { at: 0, takes: 5, delivery: lost, status: 201, ...counted('a', 0) },
        { at: 1, takes: 200, status: 503, headers: wait3, ...counted('b', 0) },
        { at: 400, status: 201, ...counted('c', 1) },
        { at: 100, takes: 400, status: 201, ...counted('d', 1) },
      ],
      rules: ['same-insert-id', 'same-insert-id'],
    },
    {
      name: 'must wait after a 429 whose body it cancels, which is no lost answer',
      attempts: [
        { at: 0, takes: 5, headSentAt: 1, status: 429, headers: wait3, delivery: lost, body: { v: 1 } },
        { at: 500, status: 201, body: { v: 1 } },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'may wait from the head of an error, whose body it cancels later',
      attempts: [
        { at: 0, takes: 300, headSentAt: 1, status: 429, headers: wait3, delivery: lost, body: { v: 1 } },
        { at: 2501, status: 201, body: { v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'must not send an event without insertId again after a time-out over a connection that was opened before',
      attempts: [
        { at: 0, takes: 300, status: 201, delivery: lost, body: { v: 1 } },
        { at: 301, openedAt: -50, status: 201, body: { v: 1 } },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'is believed that it tries again, also over a connection that was opened before',
      attempts: [
        { at: 0, takes: 5, status: 500, body: { v: 1 } },
        { at: 6, openedAt: -50, status: 201, body: { v: 1 }, sent: { 'x-stainless-retry-count': '1' } },
      ],
      rules: ['back-off', 'same-insert-id'],
    },
    {
      name: 'must not send again two equal events without insertId that were lost together',
      attempts: [
        { at: 0, takes: 300, status: 201, delivery: lost, body: { v: 1 } },
        { at: 1, takes: 300, status: 201, delivery: lost, body: { v: 1 } },
        { at: 400, status: 201, body: { v: 1 } },
        { at: 401, status: 201, body: { v: 1 } },
      ],
      rules: ['same-insert-id', 'same-insert-id'],
    },
    {
      name: 'is not blamed for coming back early from the other one of two equal calls',
      attempts: [
        { at: 0, takes: 5, status: 429, headers: wait3, body: {}, sent: { 'retry-attempt': '0' } },
        { at: 1, takes: 5, status: 500, body: {}, sent: { 'retry-attempt': '0' } },
        { at: 450, status: 200, body: {}, sent: { 'retry-attempt': '1' } },
        { at: 2510, status: 200, body: {}, sent: { 'retry-attempt': '1' } },
      ],
      rules: [],
    },
    {
      name: 'is judged by the try that it counts, also one whose end the simulator sees late',
      attempts: [
        { at: 0, status: 429, headers: wait3, sent: { 'retry-attempt': '0' } },
        { at: 1000, status: 201, sent: { 'retry-attempt': '2' } },
        { at: 500, takes: 501, headSentAt: 501, status: 500, delivery: lost, sent: { 'retry-attempt': '1' } },
      ],
      rules: ['retry-after'],
    },
    {
      name: 'is not judged by the refusal of an equal call, if its own try before may be one whose end is seen late',
      attempts: [
        { at: 0, takes: 5, status: 429, body: {}, sent: { 'retry-attempt': '0' } },
        { at: 1, takes: 5, status: 429, body: {}, sent: { 'retry-attempt': '0' } },
        { at: 100, status: 403, body: {}, sent: { 'retry-attempt': '1' } },
        { at: 300, status: 201, body: {}, sent: { 'retry-attempt': '2' } },
      ],
      rules: [],
    },
    {
      name: 'is not blamed for a try of one of two equal events whose end the simulator sees late',
      attempts: [
        { at: 0, status: 500, ...counted('a', 0) },
        { at: 1, status: 500, ...counted('b', 0) },
        { at: 200, status: 201, ...counted('a', 2) },
        { at: 100, takes: 101, headSentAt: 101, status: 500, delivery: lost, ...counted('a', 1) },
      ],
      rules: [],
    },
    {
      name: 'must not send it with another insertId',
      attempts: [
        { at: 0, status: 500, body: dated('a') },
        { at: 500, status: 201, body: dated('b') },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'may send an equal event with another insertId after one that it gave up, if neither says its time',
      attempts: [
        { at: 0, status: 500, body: { insertId: 'a', v: 1 } },
        { at: 3000, status: 201, body: { insertId: 'b', v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'may correct a request that was refused, with the same insertId',
      attempts: [
        { at: 0, status: 400, body: { insertId: 'a', v: 9 } },
        { at: 300, status: 201, body: { insertId: 'a', v: 0.9 } },
      ],
      rules: [],
    },
    {
      name: 'must not send an event with another insertId and time, if it says that it tries again',
      attempts: [
        { at: 0, status: 500, body: dated('a'), sent: { 'retry-attempt': '0' } },
        {
          at: 500,
          status: 201,
          body: { ...dated('b'), eventAt: '2026-01-15T12:00:01Z' },
          sent: { 'retry-attempt': '1' },
        },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'may send an equal event after a success whose body it cannot read',
      attempts: [
        { at: 0, status: 201, headSentAt: 0, delivery: { kind: 'damaged' }, body: { v: 1 } },
        { at: 1500, status: 201, body: { v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'must not send it a third time after a loss, whichever of the tries before that repeats',
      attempts: [
        { at: 0, takes: 500, status: 201, headSentAt: 1, openedAt: 0, delivery: lost, body: { v: 1 } },
        { at: 1400, takes: 500, status: 201, openedAt: 0, delivery: lost, body: { v: 1 } },
        { at: 2200, status: 201, body: { v: 1 } },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'must not send it again after a success whose body it cannot read, if it says that it tries again',
      attempts: [
        { at: 0, status: 201, headSentAt: 0, delivery: { kind: 'damaged' }, ...counted('a', 0) },
        { at: 1500, status: 201, ...counted('b', 1) },
      ],
      rules: ['same-insert-id'],
    },
    {
      name: 'is not judged by a slow error if it left as its head was sent',
      attempts: [
        {
          at: 0,
          takes: 501,
          headSentAt: 500,
          status: 429,
          headers: wait3,
          hasLeft: true,
          delivery: lost,
          body: { v: 1 },
        },
        { at: 700, status: 201, body: { v: 1 } },
      ],
      rules: [],
    },
    {
      name: 'is not judged by one of several equal calls that another one has repeated already',
      attempts: [
        { at: 0, takes: 3, status: 201, delivery: lost, ...unnamed(0) },
        { at: 0, takes: 4, status: 201, delivery: lost, ...unnamed(0) },
        { at: 117, takes: 2, status: 503, headers: wait3, ...unnamed(1) },
        { at: 0, takes: 501, status: 201, delivery: lost, ...unnamed(0) },
        { at: 0, takes: 506, headSentAt: 1, status: 201, delivery: lost, ...unnamed(0) },
        { at: 577, takes: 3, status: 403, ...unnamed(1) },
        { at: 99, takes: 502, status: 201, delivery: lost, ...unnamed(1) },
        { at: 615, takes: 1, status: 201, delivery: lost, ...unnamed(1) },
        { at: 755, status: 201, ...unnamed(2) },
        { at: 300, takes: 500, status: 201, delivery: lost, ...unnamed(2) }, // the client that was told to wait
        { at: 812, status: 201, ...unnamed(2) },
      ],
      rules: ['retry-after', ...Array.from({ length: 5 }, () => 'same-insert-id')],
    },
    {
      name: 'may send it with another insertId after a 429 that it may have read, beside a lost equal event',
      attempts: [
        { at: 0, takes: 500, status: 201, delivery: lost, ...counted('a', 0) },
        { at: 0, takes: 501, headSentAt: 500, hasLeft: true, status: 429, delivery: lost, ...counted('b', 0) },
        { at: 600, status: 201, ...counted('c', 1) },
      ],
      rules: [],
    },
    {
      name: 'may correct a refused call, though an equal one was corrected and refused again',
      attempts: [
        { at: 0, status: 403, ...unnamed(0) },
        { at: 1, status: 500, ...unnamed(0) },
        { at: 100, status: 403, ...unnamed(1) },
        { at: 103, status: 403, ...corrected(1) },
        { at: 300, status: 201, ...corrected(2) },
      ],
      rules: [],
    },
    {
      name: 'may correct a refused call, beside an equal one that was corrected earlier and must wait',
      attempts: [
        { at: 0, status: 403, ...unnamed(0) },
        { at: 1, takes: 500, status: 201, delivery: lost, ...unnamed(0) },
        { at: 100, status: 429, headers: wait3, ...corrected(1) },
        { at: 600, status: 400, ...unnamed(1) },
        { at: 800, status: 201, ...corrected(2) },
      ],
      rules: [],
    },
    {
      name: 'may retry two equal events concurrently',
      attempts: [
        { at: 0, takes: 9, status: 500, body: { insertId: 'a' } },
        { at: 1, takes: 9, status: 500, body: { insertId: 'b' } },
        { at: 500, status: 201, body: { insertId: 'a' } },
        { at: 501, status: 201, body: { insertId: 'b' } },
      ],
      rules: [],
    },
  ])('$name', ({ attempts, rules }) => {
    expect(brokenRules(attempts)).toEqual(rules)
  })

  /** Creates manners whose entries can be corrected. `correct`: the answer was lost after all. `rules`: those broken. */
  function createTracked(idempotentOperations = new Set(['createEvent'])) {
    const journal = new Journal(100)
    const manners = new Manners(idempotentOperations)
    journal.onEntry((entry, live) => (live.isCorrection ? manners.correct(entry, live) : manners.record(entry, live)))
    const send = (attempt: SampleAttempt) => {
      const exchange = exchangeOf(journal, attempt)
      journal.record(...exchange)
      return exchange
    }
    const correct = ([entry, live]: ReturnType<typeof exchangeOf>, endedAt: number) => {
      const end = { delivery: lost, endedAt, headSentAt: undefined, hasClientLeft: true }
      journal.correct(entry.number, end, () => ({ ...live, isCorrection: true }))
    }
    return { send, correct, rules: () => manners.findings.list().map(({ subject }) => subject.rule) }
  }

  test('may send a different prompt as the retry of a request that never arrived, while another one must wait', () => {
    const { send, rules } = createTracked(new Set())
    send({ at: 0, status: 429, headers: wait3, ...unnamed(0) })
    send({ at: 600, status: 201, ...corrected(1) })
    expect(rules()).toEqual([])
  })

  test('is judged after an answer that turns out to be lost, though a parallel one ended since', () => {
    const { send, correct, rules } = createTracked()
    const late = send({ at: 0, takes: 500, status: 201, ...counted('a', 0) })
    send({ at: 1, takes: 500, status: 201, body: { insertId: 'other' } })
    correct(late, 500)
    send({ at: 502, status: 201, ...counted('b', 1) })
    expect(rules()).toEqual(['same-insert-id'])
  })

  test('is not judged by an equal call if the answer before turns out to be lost, though another call arrived since', () => {
    const { send, correct, rules } = createTracked()
    send({ at: 0, takes: 5, status: 201, delivery: lost, ...unnamed(0) })
    send({ at: 1, takes: 5, status: 201, delivery: lost, ...unnamed(0) })
    send({ at: 90, takes: 2, status: 429, headers: wait3, ...unnamed(1) })
    const late = send({ at: 50, takes: 62, status: 201, ...unnamed(1) })
    send({ at: 110, status: 201, ...counted('other', 0) })
    correct(late, 112)
    send({ at: 300, status: 201, ...unnamed(2) })
    expect(rules()).toEqual(['same-insert-id', 'same-insert-id']) // of the two that repeat a loss
  })

  test('makes at most 100 findings: the oldest calls are removed, and further findings are counted', () => {
    const journal = new Journal(0)
    const manners = new Manners(new Set())
    journal.onEntry((entry, live) => manners.record(entry, live))
    const send = (call: number, at: number) =>
      journal.record(...exchangeOf(journal, { at, status: 404, body: { call } }))
    for (let call = 0; call < 1000; call += 1) send(call, 0)
    for (let call = 0; call < 1000; call += 1) send(call, 100)
    for (let call = 900; call < 1000; call += 1) send(call, 200)
    const { length } = manners.findings.list()
    expect(length).toBeLessThanOrEqual(100)
    expect(length + manners.findings.further).toBe(100)
    for (let call = 0; call < 1000; call += 1) {
      send(call, 300 + 2 * call)
      send(call, 301 + 2 * call)
    }
    expect(manners.findings.list()).toHaveLength(100)
    expect(manners.findings.further).toBeGreaterThan(900)
  })
})
