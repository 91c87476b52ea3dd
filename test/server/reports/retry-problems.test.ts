import { Agent, get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { retryRules } from '../../../src/server/reports/judge-retry.ts'
import { analyticsPath, ask, askOperation, event, operations } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { askRaw } from '../../support/raw-http.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { readRetries } from '../../support/stored-records.ts'
import { createTracked, lost, type SampleAttempt } from './tracked-attempts.ts'

const sim = sharedSimulator()

const findingsIn = async (target: TestSimulator, sandbox: string) =>
  (await readRetries(target, sandbox)).problems.findings

const rulesIn = async (sandbox: string) => [...new Set((await findingsIn(sim(), sandbox)).map(({ rule }) => rule))]

describe('a client that sends a call again', () => {
  test.each([
    ['breaks no rule', '429;retry-after=3', [3000]],
    ['breaks no rule', '500', [200, 400, 800]],
    ['breaks retry-after', '503;retry-after=2', [500]],
    ['breaks back-off', '500', [6400, 2133, 711]],
    ['breaks no-retry', '404', [1000]],
  ])('%s where it waits after a %s for %j ms of the sandbox', async (title, scenario, pauses) => {
    const sandbox = title.replaceAll(' ', '-') + scenario.replaceAll(/\W/g, '-')
    const send = () => ask(sim(), analyticsPath, { sandbox, scenario })
    await send()
    for (const pause of pauses) {
      await steer(sim(), 'POST', `/clock/advance?sandbox=${sandbox}`, { by: `${pause}ms` })
      await send()
    }
    expect(await rulesIn(sandbox)).toEqual(title === 'breaks no rule' ? [] : [title.replace('breaks ', '')])
  })

  test('has findings with the requests that show them', async () => {
    const how = { sandbox: 'shown', scenario: 'rate-limited;retry-after=30' }
    const ids: (string | null)[] = []
    for (const _ of [1, 2, 3]) ids.push((await ask(sim(), analyticsPath, how)).headers.get('x-request-id'))
    expect(await findingsIn(sim(), 'shown')).toMatchObject([{ rule: 'retry-after', count: 2, requests: ids }])
  })
})

describe('over HTTP', () => {
  test('a request without User-Agent breaks a rule', async () => {
    const lines = ['GET /v1/models/x/analytics HTTP/1.1', 'Host: a', 'Authorization: Bearer k', 'X-Sim-Sandbox: raw']
    await askRaw(sim().origin, `${lines.join('\r\n')}\r\n\r\n`)
    expect(await rulesIn('raw')).toEqual(['user-agent'])
  })

  test('a body without Content-Type breaks a rule', async () => {
    await askOperation(sim(), operations[1], { sandbox: 'untyped', contentType: null })
    expect(await rulesIn('untyped')).toEqual(['content-type'])
  })

  test('an event that is sent again without any insertId breaks a rule', async () => {
    const how = { sandbox: 'no-id', scenario: '503;retry-after=0' }
    for (const _ of [1, 2]) await askOperation(sim(), operations[2], how)
    const [finding] = await findingsIn(sim(), 'no-id')
    expect(finding?.sentence).toMatch(/got 503 was sent again without an insertId/)
    expect(finding?.requests).toHaveLength(2)
  })

  test.each([
    ['another body', { body: event({ value: '2' }) }],
    ['another key', { token: 'another-key' }],
  ])('a refused call with %s is another call', async (name, change) => {
    const sandbox = `differs-${name.replaceAll(' ', '-')}`
    for (const changed of [{}, change])
      await askOperation(sim(), operations[2], { ...changed, sandbox, scenario: 'forbidden' })
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
    for (const headers of [{ [name]: value }, {}])
      await ask(sim(), '/v1/models/unknown/analytics', { sandbox, headers })
    expect(await rulesIn(sandbox)).toEqual(['no-retry'])
  })

  test('an error whose body the client cancels is a failed try, and its Retry-After counts', async () => {
    for (const [index, status] of ['429', '503'].entries()) {
      const scenario = `${status};retry-after=30, dribble;ms=60000`
      const headers = { 'x-sim-sandbox': 'cancelled', 'x-sim-scenario': scenario, authorization: 'Bearer k' }
      const response = await fetch(sim().origin + analyticsPath, { headers })
      await response.body?.cancel()
      const ended = { count: { atLeast: index + 1 }, withinMs: 30_000 }
      await steer(sim(), 'POST', '/verify?sandbox=cancelled', ended)
    }
    expect(await rulesIn('cancelled')).toEqual(['retry-after'])
    const { chains } = await steer(sim(), 'GET', '/retries?sandbox=cancelled')
    const attempts = [429, 503].map((status) => ({ status, outcome: 'failed', retryAfterMs: 30_000 }))
    expect(chains).toMatchObject([{ attempts }])
  })

  test('the findings come with the rules', async () => {
    expect(await steer(sim(), 'GET', '/retries')).toMatchObject({ rules: retryRules, problems: { further: 0 } })
  })
})

test('a client that asks ten times at once over three connections that it keeps has no findings', async () => {
  const limited = await startForTest({ maxAnalysesPerHour: 3 })
  const agent = new Agent({ keepAlive: true, maxSockets: 3 })
  const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOver(agent, limited)))
  expect(statuses.filter((one) => one === 429)).toHaveLength(7)
  agent.destroy()
  expect(await findingsIn(limited, 'default')).toEqual([])
})

function statusOver(agent: Agent, { origin }: TestSimulator): Promise<number> {
  const headers = { authorization: 'Bearer any-key', 'user-agent': 'test' }
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) =>
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    get(origin + analyticsPath, { agent, headers }, onResponse).on('error', reject)
  })
}

describe('a client that sends the same call again', () => {
  /** Creates an attempt from the machine's time, the status of the response, and the parts that are not as usual. */
  const at = (time: number, status: number, parts: Partial<SampleAttempt> = {}) => ({ at: time, status, ...parts })
  const told = { headers: { 'Retry-After': '3', 'retry-after-ms': '2500' } }
  const limited = (time: number, parts: Partial<SampleAttempt> = {}) => at(time, 429, { ...told, ...parts })
  const unread = { headSentAt: 0, delivery: { kind: 'damaged' } as const }
  const plain = { body: { v: 1 } }
  const named = (insertId: string) => ({ body: { insertId, v: 1 } })
  /** An event with its time, by which it is known without a count. */
  const dated = (insertId: string) => ({ body: { insertId, v: 1, eventAt: '2026-01-15T12:00:00Z' } })
  const retry = (count: number) => ({ sent: { 'retry-attempt': String(count) } })
  const counted = (insertId: string, count: number) => ({ ...named(insertId), ...retry(count) })
  const unnamed = (count: number) => ({ ...plain, ...retry(count) })
  const corrected = (count: number) => ({ ...retry(count), body: { v: 1, corrected: true } })
  const empty = (count: number) => ({ ...retry(count), body: {} })

  /** The attempts of a client, by the rules that they break and by what they show. */
  const cases: Readonly<Record<string, Readonly<Record<string, readonly SampleAttempt[]>>>> = {
    'no rule': {
      'may come back after the shorter of two demanded waits': [limited(0), at(2500, 201)],
      'may come back early within the tolerance': [at(0, 503, told), at(2480, 201)],
      'may wait in the time of the sandbox, if its clock is advanced': [
        limited(0, { now: 0 }),
        at(100, 201, { now: 2500 }),
      ],
      'may send it concurrently, which is no retry': [limited(0, { takes: 50 }), limited(10, { takes: 5 })],
      'may send many concurrently through a few connections, which are no retries': [
        limited(0, { takes: 5 }),
        limited(1, { takes: 5 }),
        limited(5.1),
        limited(6.1),
      ],
      'may send it again at once if it says that it is no retry': [
        limited(0, { sent: { 'x-stainless-retry-count': '0' } }),
        limited(1, { sent: { 'x-stainless-retry-count': '0' } }),
        at(2500, 200, { sent: { 'x-stainless-retry-count': '1' } }),
      ],
      'may send it with another insertId after a 429, since nothing was stored': [
        limited(0, named('a')),
        at(3000, 201, named('b')),
      ],
      'may send it an hour later, which is no retry': [at(0, 404), at(3_600_000, 404)],
      'may send it after a success, which ends the chain': [at(0, 500), at(1000, 201), at(1001, 500)],
      'may send it at once after a lost response': [at(0, 201, lost), at(1, 201)],
      'may wait equally long each time': [0, 100, 200, 300, 400].map((time) => at(time, 500)),
      'may wait once for less time, because of jitter': [0, 100, 500, 700, 1500].map((time) => at(time, 500)),
      'may wait for a quarter less each time, at a cap and because of jitter': [0, 8000, 14_100, 18_800, 22_500].map(
        (time) => at(time, 502),
      ),
      'may send events together that differ in their insertId alone, and retry each in its time': [
        at(0, 429, { headers: { 'Retry-After': '1' }, ...named('a') }),
        at(1, 500, named('b')),
        at(450, 201, named('b')),
        at(1000, 201, named('a')),
      ],
      'may send equal events with an insertId of each, which are different calls': [
        at(0, 500, named('a')),
        at(1, 500, named('b')),
        at(500, 201, named('b')),
        at(501, 201, named('a')),
      ],
      'may give up an event and send an equal one with another insertId, if it keeps that of each': [
        at(0, 500, named('a')),
        at(500, 500, named('a')),
        at(1000, 201, named('b')),
      ],
      'may wait from the head of an error, whose body it cancels later': [
        limited(0, { takes: 300, headSentAt: 1, ...lost, ...plain }),
        at(2501, 201, plain),
      ],
      'is not blamed for coming back early from the other one of two equal calls': [
        limited(0, { takes: 5, ...empty(0) }),
        at(1, 500, { takes: 5, ...empty(0) }),
        at(450, 200, empty(1)),
        at(2510, 200, empty(1)),
      ],
      'is not judged by the refusal of an equal call, if its own try before may be one whose end is seen late': [
        at(0, 429, { takes: 5, ...empty(0) }),
        at(1, 429, { takes: 5, ...empty(0) }),
        at(100, 403, empty(1)),
        at(300, 201, empty(2)),
      ],
      'is not blamed for a try of one of two equal events whose end the simulator sees late': [
        at(0, 500, counted('a', 0)),
        at(1, 500, counted('b', 0)),
        at(200, 201, counted('a', 2)),
        at(100, 500, { takes: 101, headSentAt: 101, ...lost, ...counted('a', 1) }),
      ],
      'may send an equal event with another insertId after one that it gave up, if neither says its time': [
        at(0, 500, named('a')),
        at(3000, 201, named('b')),
      ],
      'may correct a request that was refused, with the same insertId': [
        at(0, 400, { body: { insertId: 'a', v: 9 } }),
        at(300, 201, { body: { insertId: 'a', v: 0.9 } }),
      ],
      'may send an equal event after a success whose body it cannot read': [
        at(0, 201, { ...unread, ...plain }),
        at(1500, 201, plain),
      ],
      'is not judged by a slow error if it left as its head was sent': [
        limited(0, { takes: 501, headSentAt: 500, hasLeft: true, ...lost, ...plain }),
        at(700, 201, plain),
      ],
      'may send it with another insertId after a 429 that it may have read, beside a lost equal event': [
        at(0, 201, { takes: 500, ...lost, ...counted('a', 0) }),
        at(0, 429, { takes: 501, headSentAt: 500, hasLeft: true, ...lost, ...counted('b', 0) }),
        at(600, 201, counted('c', 1)),
      ],
      'may correct a refused call, though an equal one was corrected and refused again': [
        at(0, 403, unnamed(0)),
        at(1, 500, unnamed(0)),
        at(100, 403, unnamed(1)),
        at(103, 403, corrected(1)),
        at(300, 201, corrected(2)),
      ],
      'may correct a refused call, beside an equal one that was corrected earlier and must wait': [
        at(0, 403, unnamed(0)),
        at(1, 201, { takes: 500, ...lost, ...unnamed(0) }),
        limited(100, corrected(1)),
        at(600, 400, unnamed(1)),
        at(800, 201, corrected(2)),
      ],
      'may retry two equal events concurrently': [
        at(0, 500, { takes: 9, body: { insertId: 'a' } }),
        at(1, 500, { takes: 9, body: { insertId: 'b' } }),
        at(500, 201, { body: { insertId: 'a' } }),
        at(501, 201, { body: { insertId: 'b' } }),
      ],
    },
    'retry-after': {
      'must not come back earlier than the tolerance': [at(0, 503, told), at(2479, 201)],
      'must wait from the end of a slow response': [limited(0, { takes: 1000 }), at(3000, 201)],
      'must not send it in the millisecond of the response, which is a retry': [
        limited(0, { takes: 1.5 }),
        at(1.6, 201),
      ],
      'must wait if it says that it is a retry, also among concurrent calls': [
        limited(0, { takes: 5 }),
        limited(1, { takes: 5 }),
        limited(10, retry(1)),
      ],
      'must wait after a 429 whose body it cancels, which is no lost response': [
        limited(0, { takes: 5, headSentAt: 1, ...lost, ...plain }),
        at(500, 201, plain),
      ],
      'is judged by the try that it counts, also one whose end the simulator sees late': [
        limited(0, retry(0)),
        at(1000, 201, retry(2)),
        at(500, 500, { takes: 501, headSentAt: 501, ...lost, ...retry(1) }),
      ],
    },
    'same-insert-id': {
      'must not send it with another insertId after a lost 429, which may have been a success': [
        at(0, 429, { ...lost, ...dated('a') }),
        at(3000, 201, dated('b')),
      ],
      'must not send it with another insertId, also among equal events, if it says that it is a retry': [
        at(0, 500, { takes: 9, ...counted('a', 0) }),
        at(1, 500, { takes: 9, ...counted('b', 0) }),
        at(500, 201, counted('c', 1)),
      ],
      'must not send an event without insertId again after a time-out over a connection that was opened before': [
        at(0, 201, { takes: 300, ...lost, ...plain }),
        at(301, 201, { openedAt: -50, ...plain }),
      ],
      'must not send it with another insertId': [at(0, 500, dated('a')), at(500, 201, dated('b'))],
      'must not send an event with another insertId and time, if it says that it tries again': [
        at(0, 500, { ...dated('a'), ...retry(0) }),
        at(500, 201, { body: { insertId: 'b', v: 1, eventAt: '2026-01-15T12:00:01Z' }, ...retry(1) }),
      ],
      'must not send it a third time after a loss, whichever of the tries before that repeats': [
        at(0, 201, { takes: 500, headSentAt: 1, openedAt: 0, ...lost, ...plain }),
        at(1400, 201, { takes: 500, openedAt: 0, ...lost, ...plain }),
        at(2200, 201, plain),
      ],
      'must not send it again after a success whose body it cannot read, if it says that it tries again': [
        at(0, 201, { ...unread, ...counted('a', 0) }),
        at(1500, 201, counted('b', 1)),
      ],
    },
    'back-off': {
      'must not send it at once after a failure': [at(0, 500), at(9, 201)],
      'must not send it at once after several lost responses': [at(0, 201, lost), at(1, 201, lost), at(2, 201)],
      'must not wait for less than half of the time again and again': [0, 900, 1300, 1480].map((time) => at(time, 502)),
    },
    'same-insert-id, same-insert-id': {
      'must not send two equal events with other insertIds, also if the retry of one lasts until that of the other': [
        at(0, 201, { takes: 5, ...lost, ...counted('a', 0) }),
        at(1, 503, { takes: 200, ...told, ...counted('b', 0) }),
        at(400, 201, counted('c', 1)),
        at(100, 201, { takes: 400, ...counted('d', 1) }),
      ],
      'must not send again two equal events without insertId that were lost together': [
        at(0, 201, { takes: 300, ...lost, ...plain }),
        at(1, 201, { takes: 300, ...lost, ...plain }),
        at(400, 201, plain),
        at(401, 201, plain),
      ],
    },
    'back-off, same-insert-id': {
      'is believed that it tries again, also over a connection that was opened before': [
        at(0, 500, { takes: 5, ...plain }),
        at(6, 201, { openedAt: -50, ...plain, sent: { 'x-stainless-retry-count': '1' } }),
      ],
    },
    'retry-after, same-insert-id, same-insert-id, same-insert-id, same-insert-id, same-insert-id': {
      'is not judged by one of several equal calls that another one has repeated already': [
        at(0, 201, { takes: 3, ...lost, ...unnamed(0) }),
        at(0, 201, { takes: 4, ...lost, ...unnamed(0) }),
        at(117, 503, { takes: 2, ...told, ...unnamed(1) }),
        at(0, 201, { takes: 501, ...lost, ...unnamed(0) }),
        at(0, 201, { takes: 506, headSentAt: 1, ...lost, ...unnamed(0) }),
        at(577, 403, { takes: 3, ...unnamed(1) }),
        at(99, 201, { takes: 502, ...lost, ...unnamed(1) }),
        at(615, 201, { takes: 1, ...lost, ...unnamed(1) }),
        at(755, 201, unnamed(2)),
        at(300, 201, { takes: 500, ...lost, ...unnamed(2) }),
        at(812, 201, unnamed(2)),
      ],
    },
  }
  const rows = Object.entries(cases).flatMap(([rules, named]) =>
    Object.entries(named).map(([name, attempts]) => ({ rules, name, attempts })),
  )

  test.each(rows)('$name', ({ rules, attempts }) => {
    const { send, rules: broken } = createTracked()
    for (const attempt of attempts) send(attempt)
    expect(broken().join(', ') || 'no rule').toBe(rules)
  })

  test('may send a different prompt as the retry of a request that never arrived, while another one must wait', () => {
    const { send, rules } = createTracked(new Set())
    send(limited(0, unnamed(0)))
    send(at(600, 201, corrected(1)))
    expect(rules()).toEqual([])
  })

  test('is judged after a response that turns out to be lost, though a parallel one ended since', () => {
    const { send, correct, rules } = createTracked()
    const late = send(at(0, 201, { takes: 500, ...counted('a', 0) }))
    send(at(1, 201, { takes: 500, body: { insertId: 'other' } }))
    correct(late, 500)
    send(at(502, 201, counted('b', 1)))
    expect(rules()).toEqual(['same-insert-id'])
  })

  test('is not judged by an equal call if the response before was lost, as is seen after another call', () => {
    const { send, correct, rules } = createTracked()
    send(at(0, 201, { takes: 5, ...lost, ...unnamed(0) }))
    send(at(1, 201, { takes: 5, ...lost, ...unnamed(0) }))
    send(limited(90, { takes: 2, ...unnamed(1) }))
    const late = send(at(50, 201, { takes: 62, ...unnamed(1) }))
    send(at(110, 201, counted('other', 0)))
    correct(late, 112)
    send(at(300, 201, unnamed(2)))
    expect(rules()).toEqual(['same-insert-id', 'same-insert-id']) // of the two that repeat a loss
  })

  test('makes at most 100 findings: the oldest calls are removed, and further findings are counted', () => {
    const { retries, send } = createTracked()
    const sendCall = (call: number, time: number) => send(at(time, 404, { body: { call } }))
    for (const time of [0, 100]) for (let call = 0; call < 1000; call += 1) sendCall(call, time)
    for (let call = 900; call < 1000; call += 1) sendCall(call, 200)
    const { length } = retries.findings.list()
    expect(length).toBeLessThanOrEqual(100)
    expect(length + retries.findings.further).toBe(100)
    for (let call = 0; call < 2000; call += 1) sendCall(Math.floor(call / 2), 300 + call)
    expect(retries.findings.list()).toHaveLength(100)
    expect(retries.findings.further).toBeGreaterThan(900)
  })
})
