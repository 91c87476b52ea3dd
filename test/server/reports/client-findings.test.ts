import { Agent, get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { retryRules } from '../../../src/server/reports/judge-retry.ts'
import { analyticsPath, ask, askOperation, event, operations } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { askRaw } from '../../support/raw-http.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { readRetries } from '../../support/stored-records.ts'
import { createTracked } from './tracked-attempts.ts'

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
  /** The attempts of a client, as `createTracked` reads them, by the rules that they break and by what they show. */
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'no rule': {
      'may come back after the shorter of two demanded waits': '0 429 wait, 2500 201',
      'may come back early within the tolerance': '0 503 wait, 2480 201',
      'may wait in the time of the sandbox, if its clock is advanced': '0 429 wait now=0, 100 201 now=2500',
      'may send it concurrently, which is no retry': '0-50 429 wait, 10-15 429 wait',
      'may send many concurrently through a few connections, which are no retries':
        '0-5 429 wait, 1-6 429 wait, 5.1 429 wait, 6.1 429 wait',
      'may send it again at once if it says that it is no retry':
        '0 429 wait stainless=0, 1 429 wait stainless=0, 2500 200 stainless=1',
      'may send it with another insertId after a 429, since nothing was stored': '0 429 wait id=a, 3000 201 id=b',
      'may send it an hour later, which is no retry': '0 404, 3600000 404',
      'may send it after a success, which ends the chain': '0 500, 1000 201, 1001 500',
      'may send it at once after a lost response': '0 201 lost, 1 201',
      'may wait equally long each time': '0 500, 100 500, 200 500, 300 500, 400 500',
      'may wait once for less time, because of jitter': '0 500, 100 500, 500 500, 700 500, 1500 500',
      'may wait for a quarter less each time, at a cap and because of jitter':
        '0 502, 8000 502, 14100 502, 18800 502, 22500 502',
      'may send events together that differ in their insertId alone, and retry each in its time':
        '0 429 wait=1 id=a, 1 500 id=b, 450 201 id=b, 1000 201 id=a',
      'may send equal events with an insertId of each, which are different calls':
        '0 500 id=a, 1 500 id=b, 500 201 id=b, 501 201 id=a',
      'may give up an event and send an equal one with another insertId, if it keeps that of each':
        '0 500 id=a, 500 500 id=a, 1000 201 id=b',
      'may wait from the head of an error, whose body it cancels later':
        '0-300 429 wait plain lost head=1, 2501 201 plain',
      'is not blamed for coming back early from the other one of two equal calls':
        '0-5 429 wait empty #0, 1-6 500 empty #0, 450 200 empty #1, 2510 200 empty #1',
      'is not judged by the refusal of an equal call, if its own try before may be one whose end is seen late':
        '0-5 429 empty #0, 1-6 429 empty #0, 100 403 empty #1, 300 201 empty #2',
      'is not blamed for a try of one of two equal events whose end the simulator sees late':
        '0 500 id=a #0, 1 500 id=b #0, 200 201 id=a #2, 100-201 500 id=a #1 lost head=101',
      'may send an equal event with another insertId after one that it gave up, if neither says its time':
        '0 500 id=a, 3000 201 id=b',
      'may correct a request that was refused, with the same insertId': '0 400 id=a v=9, 300 201 id=a v=0.9',
      'may send an equal event after a success whose body it cannot read': '0 201 plain unread, 1500 201 plain',
      'is not judged by a slow error if it left as its head was sent':
        '0-501 429 wait plain lost head=500 left, 700 201 plain',
      'may send it with another insertId after a 429 that it may have read, beside a lost equal event':
        '0-500 201 id=a #0 lost, 0-501 429 id=b #0 lost head=500 left, 600 201 id=c #1',
      'may correct a refused call, though an equal one was corrected and refused again':
        '0 403 plain #0, 1 500 plain #0, 100 403 plain #1, 103 403 corrected #1, 300 201 corrected #2',
      'may correct a refused call, beside an equal one that was corrected earlier and must wait':
        '0 403 plain #0, 1-501 201 plain #0 lost, 100 429 wait corrected #1, 600 400 plain #1, 800 201 corrected #2',
      'may retry two equal events concurrently': '0-9 500 id=a, 1-10 500 id=b, 500 201 id=a, 501 201 id=b',
    },
    'retry-after': {
      'must not come back earlier than the tolerance': '0 503 wait, 2479 201',
      'must wait from the end of a slow response': '0-1000 429 wait, 3000 201',
      'must not send it in the millisecond of the response, which is a retry': '0-1.5 429 wait, 1.6 201',
      'must wait if it says that it is a retry, also among concurrent calls':
        '0-5 429 wait, 1-6 429 wait, 10 429 wait #1',
      'must wait after a 429 whose body it cancels, which is no lost response':
        '0-5 429 wait plain lost head=1, 500 201 plain',
      'is judged by the try that it counts, also one whose end the simulator sees late':
        '0 429 wait #0, 1000 201 #2, 500-1001 500 #1 lost head=501',
    },
    'same-insert-id': {
      'must not send it with another insertId after a lost 429, which may have been a success':
        '0 429 id=a dated lost, 3000 201 id=b dated',
      'must not send it with another insertId, also among equal events, if it says that it is a retry':
        '0-9 500 id=a #0, 1-10 500 id=b #0, 500 201 id=c #1',
      'must not send an event without insertId again after a time-out over a connection that was opened before':
        '0-300 201 plain lost, 301 201 plain open=-50',
      'must not send it with another insertId': '0 500 id=a dated, 500 201 id=b dated',
      'must not send an event with another insertId and time, if it says that it tries again':
        '0 500 id=a dated #0, 500 201 id=b later #1',
      'must not send it a third time after a loss, whichever of the tries before that repeats':
        '0-500 201 plain lost head=1 open=0, 1400-1900 201 plain lost open=0, 2200 201 plain',
      'must not send it again after a success whose body it cannot read, if it says that it tries again':
        '0 201 id=a #0 unread, 1500 201 id=b #1',
    },
    'back-off': {
      'must not send it at once after a failure': '0 500, 9 201',
      'must not send it at once after several lost responses': '0 201 lost, 1 201 lost, 2 201',
      'must not wait for less than half of the time again and again': '0 502, 900 502, 1300 502, 1480 502',
    },
    'same-insert-id, same-insert-id': {
      'must not send two equal events with other insertIds, also if the retry of one lasts until that of the other':
        '0-5 201 id=a #0 lost, 1-201 503 wait id=b #0, 400 201 id=c #1, 100-500 201 id=d #1',
      'must not send again two equal events without insertId that were lost together':
        '0-300 201 plain lost, 1-301 201 plain lost, 400 201 plain, 401 201 plain',
    },
    'back-off, same-insert-id': {
      'is believed that it tries again, also over a connection that was opened before':
        '0-5 500 plain, 6 201 plain stainless=1 open=-50',
    },
    'retry-after, same-insert-id, same-insert-id, same-insert-id, same-insert-id, same-insert-id': {
      'is not judged by one of several equal calls that another one has repeated already': `
        0-3 201 plain #0 lost, 0-4 201 plain #0 lost, 117-119 503 wait plain #1, 0-501 201 plain #0 lost,
        0-506 201 plain #0 lost head=1, 577-580 403 plain #1, 99-601 201 plain #1 lost, 615-616 201 plain #1 lost,
        755 201 plain #2, 300-800 201 plain #2 lost, 812 201 plain #2`,
    },
  }
  const rows = Object.entries(cases).flatMap(([rules, named]) =>
    Object.entries(named).map(([name, attempts]) => ({ rules, name, attempts })),
  )

  test.each(rows)('$name', ({ rules, attempts }) => {
    const { send, rules: broken } = createTracked()
    for (const attempt of attempts.split(',')) send(attempt)
    expect(broken().join(', ') || 'no rule').toBe(rules)
  })

  test('may send a different prompt as the retry of a request that never arrived, while another one must wait', () => {
    const { send, rules } = createTracked(new Set())
    send('0 429 wait plain #0')
    send('600 201 corrected #1')
    expect(rules()).toEqual([])
  })

  test('is judged after a response that turns out to be lost, though a parallel one ended since', () => {
    const { send, correct, rules } = createTracked()
    const late = send('0-500 201 id=a #0')
    send('1-501 201 id=other')
    correct(late, 500)
    send('502 201 id=b #1')
    expect(rules()).toEqual(['same-insert-id'])
  })

  test('is not judged by an equal call if the response before was lost, as is seen after another call', () => {
    const { send, correct, rules } = createTracked()
    send('0-5 201 plain #0 lost')
    send('1-6 201 plain #0 lost')
    send('90-92 429 wait plain #1')
    const late = send('50-112 201 plain #1')
    send('110 201 id=other #0')
    correct(late, 112)
    send('300 201 plain #2')
    expect(rules()).toEqual(['same-insert-id', 'same-insert-id']) // of the two that repeat a loss
  })

  test('makes at most 100 findings: the oldest calls are removed, and further findings are counted', () => {
    const { findings, send } = createTracked()
    const sendCall = (call: number, time: number) => send(`${time} 404 call=${call}`)
    for (const time of [0, 100]) for (let call = 0; call < 1000; call += 1) sendCall(call, time)
    for (let call = 900; call < 1000; call += 1) sendCall(call, 200)
    const { list, further } = findings.retries.toList()
    expect(list.length).toBeLessThanOrEqual(100)
    expect(list.length + further).toBe(100)
    for (let call = 0; call < 2000; call += 1) sendCall(Math.floor(call / 2), 300 + call)
    const after = findings.retries.toList()
    expect(after.list).toHaveLength(100)
    expect(after.further).toBeGreaterThan(900)
  })
})
