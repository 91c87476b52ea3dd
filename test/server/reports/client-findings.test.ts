import { describe, expect, test } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { analyticsPath, call, callOperation, event, operations } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { callRaw } from '../../support/raw-http.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { readControl, readRetries } from '../../support/stored-records.ts'
import { createRetryTracker } from './tracked-attempts.ts'

const sim = sharedSimulator()

const findingsIn = async (sandbox: string) => (await readRetries(sim(), sandbox)).problems.findings

const reportOn = (sandbox: string) => readControl<ControlSchemas['Report']>(sim(), `/report?sandbox=${sandbox}`)

const rulesIn = async (sandbox: string) => [...new Set((await findingsIn(sandbox)).map(({ rule }) => rule))]

test('a client that repeats a call too early causes a finding that lists the requests', async () => {
  const options = { sandbox: 'shown', scenario: 'rate-limited;retry-after=30' }
  const ids: (string | null)[] = []
  const body = event({ insertId: 'a' })
  for (const _ of [1, 2, 3])
    ids.push((await callOperation(sim(), operations[2], { ...options, body })).headers.get('x-request-id'))
  expect(await findingsIn('shown')).toMatchObject([{ rule: 'retry-after', count: 2, requests: ids }])
})

describe('over HTTP', () => {
  test('a request without a User-Agent breaks a rule', async () => {
    const lines = ['GET /v1/models/x/analytics HTTP/1.1', 'Host: a', 'Authorization: Bearer k', 'X-Sim-Sandbox: raw']
    await callRaw(sim().origin, `${lines.join('\r\n')}\r\n\r\n`)
    expect(await rulesIn('raw')).toEqual(['user-agent'])
  })

  test('a body without a Content-Type breaks a rule', async () => {
    await callOperation(sim(), operations[1], { sandbox: 'untyped', contentType: null })
    expect(await rulesIn('untyped')).toEqual(['content-type'])
  })

  test('resending an event without an insertId after its response was lost breaks a rule', async () => {
    await putRules(sim(), [{ scenario: 'lost-ack', times: 1 }], 'no-id')
    const send = () => callOperation(sim(), operations[2], { sandbox: 'no-id' })
    await expect(send()).rejects.toThrow()
    await send()
    const [finding] = await findingsIn('no-id')
    expect(finding?.sentence).toMatch(/stored, the response was lost, and an identical event .* was stored later/)
    expect(finding?.requests).toHaveLength(2)
  })

  test.each([
    ['x-sim-scenario', 'forbidden', 0],
    ['x-sim-sequence', 'forbidden', 0],
    ['prefer', 'code=403', 0],
    ['x-sim-seed', '7', 0],
    ['x-sim-now', '2031-01-15T12:00:00Z', 1],
  ])('two identical calls, the first with %s, cause no retry problem (advice: $2)', async (name, value, count) => {
    const sandbox = `one-call-${name}`
    await putRules(sim(), [{ scenario: 'rate-limited;retry-after=9', times: 1 }], sandbox)
    for (const headers of [{ [name]: value }, {}]) await call(sim(), analyticsPath, { sandbox, headers })
    const { retries, advice } = await reportOn(sandbox)
    expect([retries.findings, advice.findings.length]).toEqual([[], count])
  })

  test('a test that triggers three refusals, each with its own rule, causes no retry problems or advice', async () => {
    for (const scenario of ['forbidden', 'not-found', 'rate-limited;retry-after=9']) {
      await putRules(sim(), [{ scenario, times: 1 }], 'refusals')
      await call(sim(), analyticsPath, { sandbox: 'refusals' })
    }
    const { retries, advice, summary } = await reportOn('refusals')
    expect([retries.findings, advice.findings, retries.notJudged]).toEqual([
      [],
      [],
      [{ reason: 'new-rules', count: 2 }],
    ])
    expect(summary).toContain('0 retry problems, 2 failed calls not judged')
  })

  test('an error whose body the client cancels counts as a failed attempt, and its Retry-After applies', async () => {
    for (const [index, status] of ['429', '503'].entries()) {
      const scenario = `${status};retry-after=30, dribble;ms=60000`
      const steering = { 'x-sim-sandbox': 'canceled', 'x-sim-scenario': scenario }
      const headers = { ...steering, authorization: 'Bearer k', 'x-stainless-retry-count': String(index) }
      const response = await fetch(sim().origin + analyticsPath, { headers })
      await response.body?.cancel()
      const expectation = { count: { atLeast: index + 1 }, withinMs: 30_000 }
      await callControl(sim(), 'POST', '/verify?sandbox=canceled', expectation)
    }
    expect(await rulesIn('canceled')).toEqual(['retry-after'])
    const { chains } = await callControl(sim(), 'GET', '/retries?sandbox=canceled')
    const attempts = [429, 503].map((status) => ({ status, outcome: 'failed', retryAfterMs: 30_000 }))
    expect(chains).toMatchObject([{ attempts }])
  })
})

const thirtyTimes = (attempt: string) => Array.from({ length: 30 }, (_, index) => `${index * 100} ${attempt}`).join()

describe('a client that sends the same call again', () => {
  /** The client's attempts, in the format of `createRetryTracker`, keyed by the rules that they break and by title. */
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'no rule': {
      'may retry after the shorter of the two waits that a response specifies': '0 429 wait, 2500 201',
      'may retry slightly early, within the tolerance': '0 503 wait, 2480 201',
      'may wait in sandbox time if the sandbox clock is advanced': '0 429 wait now=0, 100 201 now=2500',
      'may do so before the first call ends, since that is not a retry': '0-50 429 wait, 10-15 429 wait',
      'may send many concurrent calls over a few connections, since they are not retries':
        '0-5 429 wait, 1-6 429 wait, 5.1 429 wait, 6.1 429 wait',
      'may repeat a call without an insertId immediately, as a second click does':
        '0 429 wait plain stainless=0, 1 429 wait plain stainless=0, 2501 200 plain stainless=1',
      'may send events with the same time and different insertIds after a lost event':
        '0 429 id=a dated lost, 3000 201 id=b dated, 3001 500 id=c dated, 3002 201 id=d dated',
      'may use short and decreasing waits, as with full jitter': '0 500, 900 500, 901 500, 902 500, 990 201',
      'may send identical heartbeats, even if one is lost': '0 201 plain, 100 201 plain lost, 200 201 plain',
      'may repeat an event without an insertId if the lost event was not stored': '0 503 plain lost, 200 201 plain',
      'may change the insertId of an event after a 429, since nothing was stored': '0 429 wait id=a, 3000 201 id=b',
      'may send the call an hour later, since that is not a retry': '0 404, 3600000 404',
      'may poll a resource that does not exist yet': thirtyTimes('404 plain'),
      'may send the call after a success, which ends the chain': '0 500, 1000 201, 1001 500',
      'may resend the call immediately after a lost response': '0 201 lost, 1 201',
      'may use the same wait before each retry': '0 500, 100 500, 200 500, 300 500, 400 500',
      'may shorten one wait, because of jitter': '0 500, 100 500, 500 500, 700 500, 1500 500',
      'may wait about a quarter less each time, because of jitter at the maximum wait':
        '0 502, 8000 502, 14100 502, 18800 502, 22500 502',
      'may send concurrent events that differ only in insertId, and retry each event at its own pace':
        '0 429 wait=1 id=a, 1 500 id=b, 450 201 id=b, 1000 201 id=a',
      'may send events that differ only in insertId, since they are different calls':
        '0 500 id=a, 1 500 id=b, 500 201 id=b, 501 201 id=a',
      'may retry an event with its insertId, give up, and send an event that differs only in insertId':
        '0 500 id=a, 500 500 id=a, 1000 201 id=b',
      'may start its wait when the head arrives, and cancel the body later': '0-300 429 wait lost head=1, 2501 201',
      'causes no finding if a retry after one of two identical calls is too early for the other':
        '0-5 429 wait empty #0, 1-6 500 empty #0, 450 200 empty #1, 2510 200 empty #1',
      'is not judged by the refusal of an identical call, if the end of its own attempt might be recorded late':
        '0-5 429 empty #0, 1-6 429 empty #0, 100 403 empty #1, 300 201 empty #2',
      'causes no finding if the end of an attempt to send one of two identical events is recorded late':
        '0 500 id=a #0, 1 500 id=b #0, 200 201 id=a #2, 100-201 500 id=a #1 lost head=101',
      'may give up on an event and send one that differs only in insertId, if neither has a time':
        '0 500 id=a, 3000 201 id=b',
      'may correct a refused request and keep its insertId': '0 400 id=a v=9, 300 201 id=a v=0.9',
      'may send an identical event after a success whose body is unreadable': '0 201 plain unread, 1500 201 plain',
      'may disconnect just when the head of a slow error is sent, and then retry without waiting':
        '0-501 429 wait plain lost head=500 left, 700 201 plain',
      'may change the insertId after a 429 that it might have read, even if an identical event was lost':
        '0-500 201 id=a #0 lost, 0-501 429 id=b #0 lost head=500 left, 600 201 id=c #1',
      'may correct a refused call, even if an identical call was corrected and refused again':
        '0 403 plain #0, 1 500 plain #0, 100 403 plain #1, 103 403 corrected #1, 300 201 corrected #2',
      'may correct a refused call while an identical call, corrected earlier, must wait':
        '0 403 plain #0, 1-501 201 plain #0 lost, 100 429 wait corrected #1, 600 400 plain #1, 800 201 corrected #2',
      'may retry two identical events concurrently': '0-9 500 id=a, 1-10 500 id=b, 500 201 id=a, 501 201 id=b',
    },
    'retry-after': {
      'must not retry earlier than the tolerance allows': '0 503 wait, 2479 201',
      'must measure the wait from the end of a slow response': '0-1000 429 wait, 3000 201',
      'must not repeat the call within a millisecond of the response, since that is a retry': '0-1.5 429 wait, 1.6 201',
      'must wait if it declares a retry, even among concurrent calls': '0-5 429 wait, 1-6 429 wait, 10 429 wait #1',
      'must wait after a 429 whose body it cancels, since the head arrived': '0-5 429 wait lost head=1, 500 201',
      'must wait if an outer retry loop restarts the retry count': '0 429 wait stainless=0, 1 201 stainless=0',
      'must wait, however long ago it first sent the event': '0 500, 4000000 429 wait, 4000500 201',
      'is judged by the attempt that its retry count includes, even if the end of that attempt is recorded late':
        '0 429 wait #0, 1000 201 #2, 500-1001 500 #1 lost head=501',
    },
    'same-insert-id': {
      'must not resend an event without an insertId, even an hour after a lost response':
        '0 201 plain #0 lost, 3600000 201 plain #0',
      'must not omit the insertId after a lost response': '0 201 id=a lost, 3000 201 plain',
      'must not change the insertId in a declared retry, even among identical events':
        '0-9 500 id=a #0, 1-10 500 id=b #0, 500 201 id=c #1',
      'is treated as retrying if it declares a retry, even on a connection opened earlier':
        '0-5 500 plain, 6 201 plain stainless=1 open=-50',
      'must not resend two identical events without an insertId if both were lost, since one is certainly a retry':
        '0-300 201 plain lost, 1-301 201 plain lost, 400 201 plain, 401 201 plain',
      'must not resend an event without an insertId after a timeout, even on a connection opened earlier':
        '0-300 201 plain lost, 301 201 plain open=-50',
      'must not change the insertId and time of an event in a declared retry':
        '0 500 id=a dated #0, 500 201 id=b later #1',
      'must not send an event a third time after a lost response, whichever earlier attempt this repeats':
        '0-500 201 plain lost head=1 open=0, 1400-1900 201 plain lost open=0, 2200 201 plain',
      'must not change the insertId in a declared retry after a success whose body is unreadable':
        '0 201 id=a #0 unread, 1500 201 id=b #1',
    },
    'back-off': {
      'must not resend the call immediately after three failures': '0 500, 5 500, 10 500, 15 201',
      'must not resend the call immediately after several lost responses': '0 201 lost, 1 201 lost, 2 201 lost, 3 201',
      'must not repeat a failing call every 100 ms, even if no retry is declared': thirtyTimes('429 wait plain'),
    },
    'same-insert-id, same-insert-id': {
      'must not resend two identical events with new insertIds, even if the retries overlap':
        '0-5 201 id=a #0 lost, 1-201 503 wait id=b #0, 400 201 id=c #1, 100-500 201 id=d #1',
    },
  }
  const rows = Object.entries(cases).flatMap(([rules, attemptsByTitle]) =>
    Object.entries(attemptsByTitle).map(([name, attempts]) => ({ rules, name, attempts })),
  )

  test.each(rows)('$name', ({ rules, attempts }) => {
    const { send, rules: broken } = createRetryTracker()
    for (const attempt of attempts.split(',')) send(attempt)
    expect(broken().join(', ') || 'no rule').toBe(rules)
  })

  test('may retry a prompt whose first attempt never arrived, while a different prompt must wait', () => {
    const { send, rules } = createRetryTracker(new Set())
    send('0 429 wait plain #0')
    send('600 201 corrected #1')
    expect(rules()).toEqual([])
  })

  test('is judged by a response that turns out to be lost, even if a concurrent call has ended in the meantime', () => {
    const { send, correct, rules } = createRetryTracker()
    const late = send('0-500 201 id=a #0')
    send('1-501 201 id=other')
    correct(late, 500)
    send('502 201 id=b #1')
    expect(rules()).toEqual(['same-insert-id'])
  })

  test('is not judged by an identical call if its own lost response is recorded only after another call', () => {
    const { send, correct, rules } = createRetryTracker()
    send('0-5 201 plain #0 lost')
    send('1-6 201 plain #0 lost')
    send('90-92 429 wait plain #1')
    const late = send('50-112 201 plain #1')
    send('110 201 id=other #0')
    correct(late, 112)
    send('300 201 plain #2')
    expect(rules()).toEqual(['same-insert-id', 'same-insert-id']) // one for each event that repeats a lost event
  })

  test('has at most 100 listed findings; other findings, and calls no longer in the journal, are only counted', () => {
    const { findings, send } = createRetryTracker()
    for (const count of [0, 1]) for (let call = 0; call < 600; call += 1) send(`${count} 404 call=${call} #${count}`)
    const { list, further } = findings.retries.toList()
    expect([list.length, further]).toEqual([100, 500])
    for (let call = 0; call < 1200; call += 1) send(`9 500 call=other-${call}`)
    expect(findings.listUnjudged()).toEqual([{ reason: 'dropped', count: 200 }])
  })
})
