import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { analyticsPath, call, event, expectRefusal } from '../support/client.ts'
import { callControl, verify } from '../support/control.ts'
import { untilWaiting } from '../support/metrics.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'

/** A simulator that has received two purchases (only the first one with `X-Team: blue`) and an analytics request. */
const shared = sharedSimulator()
beforeAll(async () => {
  await postEvent(shared(), purchase({ properties: { plan: 'pro', seats: 3 } }), { 'x-team': 'blue' })
  await postEvent(shared())
  await call(shared(), analyticsPath)
})

const purchase = (fields: JsonObject = {}) => event({ eventType: 'purchase', ...fields })

const postEvent = (sim: TestSimulator, body: Json = purchase(), headers: Record<string, string> = {}) =>
  call(sim, '/v1/events', { body, headers })

describe('POST /__sim/verify', () => {
  test.each([
    [{}, 200],
    [{ count: { atLeast: 2 } }, 200],
    [{ count: { atLeast: 4 } }, 417],
    [{ count: { exactly: 3 } }, 200],
    [{ count: { exactly: 2 } }, 417],
    [{ count: { atMost: 2 } }, 417],
    [{ count: { atLeast: 1, atMost: 3 } }, 200],
    [{ operation: 'createEvent' }, 200],
    [{ operation: 'createPrompt' }, 417],
    [{ operation: 'createPrompt', count: { exactly: 0 } }, 200],
    [{ match: { header: { Cookie: null }, query: { api_key: null } }, count: { exactly: 3 } }, 200],
  ])('responds to %j with %i after three requests', async (verification, status) => {
    const verdict = await verify(shared(), verification)
    expect(verdict).toMatchObject({ status, satisfied: status === 200, truncated: false })
  })

  test('shows the first characters of a long value in a near miss', async ({ own }) => {
    await postEvent(own, purchase({ properties: { text: 'x'.repeat(5000) } }))
    const { nearMisses } = await verify(own, { match: { body: { '/properties': { text: 'y'.repeat(5000) } } } })
    const [expected, actual] = ['y', 'x'].map((letter) => `{"text":"${letter.repeat(1991)}…`)
    expect(nearMisses).toMatchObject([{ differences: [{ field: 'body/properties', expected, actual }] }])
  })

  test('reports at most a hundred differences per request', async () => {
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 1]))
    const { nearMisses } = await verify(shared(), { operation: 'createEvent', match: { body: { properties } } })
    const counts = (nearMisses as { differences: Json[] }[]).map(({ differences }) => differences.length)
    expect(Math.max(...counts)).toBe(100)
  })

  test('allows at most a hundred waiting verifications', async ({ own }) => {
    const waiting = Array.from({ length: 100 }, () => verify(own, { withinMs: 60_000 }))
    await untilWaiting(own, 100)
    const refused = await verify(own, {})
    expect(refused).toMatchObject({ status: 429, error: expect.stringMatching(/already waiting/) })
    await call(own, analyticsPath)
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
    expect((await verify(own, {})).status).toBe(200)
  })

  test('names the nearest requests and the differing fields if the verification fails', async ({ own }) => {
    await call(own, analyticsPath)
    await postEvent(own, purchase({ eventType: 'signup' }))
    const match = { body: { '/eventType': 'purchase' }, header: { 'x-team': 'blue' } }
    const differences = [
      { field: 'header/x-team', expected: 'blue' },
      { field: 'body/eventType', expected: 'purchase', actual: 'signup' },
    ]
    const nearest = { id: 'req-2', method: 'POST', path: '/v1/events', status: 201, differences }
    const verdict = await verify(own, { operation: 'createEvent', match })
    expect(verdict).toMatchObject({ status: 417, count: 0, matched: [], nearMisses: [nearest, { id: 'req-1' }] })
    const message = /^Expected at least 1 .*; got 0\. The nearest request, req-2, differs in header\/x-team /
    expect(verdict['message']).toMatch(message)
  })

  test.each([
    [{ match: { header: { Authorization: 'Bearer k' } } }, /does not store the value of the header "Authorization"/],
    [{ match: { query: { api_key: 'k' } } }, /does not store the value of the query parameter "api_key"/],
    [{ count: { exactly: 1, atLeast: 1 } }, /either "exactly"/],
    [{ count: { atLeast: 3, atMost: 2 } }, /at least 3 and at most 2/],
    [{ withinMs: 60_001 }, /withinMs: must be from 0 to 60000/],
  ])('refuses the invalid verification %j', async (verification, problem) => {
    expectRefusal(await call(shared(), '/__sim/verify', { body: verification as JsonObject }), 400, problem)
  })
})

describe('a verification that waits', () => {
  test('does not delay requests, and counts only requests in its sandbox', async ({ own }) => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const names = Array.from({ length: 20 }, (_, index) => `sandbox-${index}`)
    const waiting = names.map((name) => verify(own, { withinMs: 60_000 }, `?sandbox=${name}`))
    const failed = names.map((name) => verify(own, { operation: 'createPrompt', withinMs: 60_000 }, `?sandbox=${name}`))
    await untilWaiting(own, 2 * names.length)
    for (const name of names) {
      const response = await postEvent(own, purchase(), { 'x-sim-sandbox': name })
      expect(response.status).toBe(201)
    }
    for (const verdict of await Promise.all(waiting)) expect(verdict).toMatchObject({ status: 200, count: 1 })
    await own.close()
    for (const verdict of await Promise.all(failed)) expect(verdict).toMatchObject({ status: 417, count: 0 })
    expect(warnings).toEqual([]) // Node.js warns if there are too many listeners
  })

  test.for<[JsonObject, number]>([
    [{ atLeast: 2 }, 200],
    [{ exactly: 1 }, 417],
    [{ atMost: 1 }, 417],
  ])('for %j responds with %d at the second matching request', async ([count, status], { own }) => {
    const waiting = verify(own, { operation: 'createEvent', count, withinMs: 60_000 })
    await untilWaiting(own, 1)
    for (const send of [postEvent, (target: TestSimulator) => call(target, analyticsPath), postEvent]) await send(own)
    expect(await waiting).toMatchObject({ status, count: 2 })
  })

  test.for<[JsonObject, number]>([
    [{ exactly: 1 }, 200],
    [{ atMost: 1 }, 200],
    [{ atLeast: 2 }, 417],
  ])('for %j responds with %d when its time is up', async ([count, status], { own }) => {
    await postEvent(own)
    const before = performance.now()
    expect(await verify(own, { count, withinMs: 50 })).toMatchObject({ status, count: 1 })
    expect(performance.now() - before).toBeGreaterThanOrEqual(48)
  })

  test('restarts its count at zero if the journal is cleared', async ({ own }) => {
    const before = await postEvent(own)
    const waiting = verify(own, { count: { atLeast: 2 }, withinMs: 60_000 })
    await untilWaiting(own, 1)
    await callControl(own, 'DELETE', '/requests')
    await postEvent(own)
    await untilWaiting(own, 1)
    await postEvent(own)
    const verdict = await waiting
    expect(verdict).toMatchObject({ status: 200, count: 2 })
    expect(verdict['matched']).not.toContain(before.headers.get('x-request-id'))
  })

  test('ends when its client closes the connection', async ({ own }) => {
    const client = new AbortController()
    const pending = call(own, '/__sim/verify', { body: { withinMs: 60_000 }, signal: client.signal })
    await untilWaiting(own, 1)
    client.abort()
    await expect(pending).rejects.toThrow(/abort/)
    await untilWaiting(own, 0)
  })

  test('responds with the count so far when the simulator stops', async ({ own }) => {
    await postEvent(own)
    const failing = verify(own, { count: { atLeast: 2 }, withinMs: 60_000 })
    const passing = verify(own, { count: { exactly: 1 }, withinMs: 60_000 })
    await untilWaiting(own, 2)
    await own.close()
    expect(await failing).toMatchObject({ status: 417, count: 1 })
    expect(await passing).toMatchObject({ status: 200, count: 1 })
  })
})

describe('a journal that has dropped requests or bodies', () => {
  const large = (letter: string) => purchase({ properties: { text: letter.repeat(900_000) } })

  const upperBounds = [{ atMost: 5 }, { exactly: 1 }, { atLeast: 1, atMost: 5 }]
  test.each(upperBounds)('cannot prove the upper bound %j, and the response says what to do', async (count) => {
    const sim = await startForTest({ journalSize: 1 })
    for (let times = 0; times < 2; times += 1) await postEvent(sim)
    const verdict = await verify(sim, { count, withinMs: 60_000 })
    expect(verdict).toMatchObject({ status: 417, satisfied: false, count: 1, truncated: true })
    expect(verdict['problem']).toMatch(/own sandbox.*DELETE.*--journal-size/)
    expect(verdict['message']).toContain(verdict['problem'])
  })

  test('cannot prove an upper bound for all sandboxes after an eviction, until all requests are deleted', async () => {
    const sim = await startForTest({ sandboxLimit: 2 })
    for (const name of ['a', 'b', 'c']) await call(sim, analyticsPath, { token: `k~${name}` })
    const verdict = await verify(sim, { count: { exactly: 1 } }, '?sandbox=*')
    expect(verdict).toMatchObject({ status: 417, count: 1, truncated: true })
    expect(await callControl(sim, 'GET', '/requests?sandbox=*')).toMatchObject({ recorded: 3, dropped: 2 })
    expect(await callControl(sim, 'DELETE', '/requests?sandbox=*')).toEqual({ deleted: 1 })
    expect(await callControl(sim, 'GET', '/requests?sandbox=*')).toMatchObject({ recorded: 0, truncated: false })
  })

  test('can prove that a lower bound is met or that an upper bound is exceeded', async () => {
    const sim = await startForTest({ journalSize: 2 })
    for (let times = 0; times < 3; times += 1) await postEvent(sim)
    expect(await verify(sim, { count: { atLeast: 2 } })).toMatchObject({ status: 200, truncated: true })
    const exceeded = await verify(sim, { count: { atMost: 1 } })
    expect(exceeded).toMatchObject({ status: 417, count: 2 })
    expect(exceeded).not.toHaveProperty('problem')
  })

  test('marks a count as truncated if a dropped body could match', async ({ own }) => {
    await postEvent(own, purchase({ eventType: 'signup' }))
    for (let times = 0; times < 19; times += 1) await postEvent(own, large('a'))
    const bodyQuery = { match: { body: { '/eventType': 'signup' } } }
    const inconclusive = { count: 0, truncated: true }
    expect(await callControl(own, 'POST', '/requests/count', bodyQuery)).toEqual(inconclusive)
    expect(await verify(own, { ...bodyQuery, count: { exactly: 0 } })).toMatchObject({ status: 417, ...inconclusive })
    // The count is exact if no condition needs a body, or if another condition excludes the request.
    expect(await callControl(own, 'POST', '/requests/count', {})).toEqual({ count: 20, truncated: false })
    const excluded = { match: { ...bodyQuery.match, status: 400 } }
    expect(await callControl(own, 'POST', '/requests/count', excluded)).toEqual({ count: 0, truncated: false })
  })
})

test('a count is marked as truncated if a redacted value could match', async ({ own }) => {
  await call(own, `${analyticsPath}?tag=my-own-token`, { token: 'my-own-token', headers: { 'x-note': 'my-own-token' } })
  for (const match of [{ query: { tag: 'my-own-token' } }, { header: { 'x-note': 'my-own-token' } }])
    expect(await callControl(own, 'POST', '/requests/count', { match, force: true })).toEqual({
      count: 0,
      truncated: true,
    })
})
