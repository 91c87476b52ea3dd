import { expect, test } from 'vitest'
import { isObject, type Json } from '../../../src/base/core/json.ts'
import { call, event, modelId, objectOf, prompt } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { proxyTo } from '../../support/fake-upstream.ts'
import { frozenNow, startForTest, type TestSimulator } from '../../support/start.ts'

/** Sends valid and invalid requests. A rule in the simulator `limiter` causes a 429 for the first request. */
async function sendRequests(sim: TestSimulator, limiter: TestSimulator): Promise<void> {
  await putRules(limiter, [{ operation: 'getModelAnalytics', scenario: 'rate-limited;retry-after=20', times: 1 }])
  for (const [count, period] of ['7d', '7d', '90d'].entries())
    await call(sim, `/v1/models/${modelId}/analytics?period=${period}`, { headers: { 'retry-attempt': String(count) } })
  await call(sim, '/v1/events', { body: event({ insertId: 'A-1' }) })
  await call(sim, '/v1/prompts', { body: prompt() })
  await call(sim, '/v1/events', { body: event({ value: 5 }) })
  await call(sim, '/v1/prompts', { body: { name: 'x', components: [] } })
  await call(sim, '/v1/models/no-uuid/analytics?period=1y')
  await call(sim, '/v1/events', { body: event({ valueType: 'numeric', value: 'many' }) })
  await call(sim, '/v1/other')
  await call(sim, '/events', { body: event() })
  await call(sim, '/v1/events', { body: event(), token: null })
}

/** The names of report members that can differ even if the verdicts are the same. */
const runSpecific = ['run', 'first', 'requests', 'origin', 'examples', 'example', 'waitedMs', 'message']

/** Returns a report without its run-specific members. Keeps `requests` if it is a number rather than a list of IDs. */
function verdictsOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(verdictsOf)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => !runSpecific.includes(name) || (name === 'requests' && !Array.isArray(item)))
      .map(([name, item]) => [name, verdictsOf(item)]),
  )
}

const reportOf = (sim: TestSimulator) => callControl(sim, 'GET', '/report?sandbox=*')

test('verdicts are the same with and without a proxy, but an upstream 429 is reported as unexpected', async () => {
  const direct = await startForTest()
  await sendRequests(direct, direct)
  const expected = verdictsOf(await reportOf(direct))
  expect(expected).toMatchObject({
    summary: expect.stringMatching(
      /^12 requests, 3 broke the contract, 3 unexpected responses, 1 retry problem, 5 pieces of advice, [\d.]+% /,
    ),
  })

  const limitingProxy = await proxyTo((await startForTest()).origin, {}, { clock: frozenNow })
  await sendRequests(limitingProxy, limitingProxy)
  expect(verdictsOf(await reportOf(limitingProxy))).toEqual(expected)

  const limitingUpstream = await startForTest()
  const forwardingProxy = await proxyTo(limitingUpstream.origin, {}, { clock: frozenNow })
  await sendRequests(forwardingProxy, limitingUpstream)
  // The proxy cannot know that a rule in the upstream simulator caused the 429.
  const { violations, retries, coverage, unexpected } = objectOf({ body: expected, status: 200 })
  const findings = isObject(unexpected) && Array.isArray(unexpected.findings) ? unexpected.findings : []
  const unexpectedWith429 = {
    responses: 4,
    findings: expect.arrayContaining([...findings, expect.objectContaining({ status: 429 })]),
  }
  const verdicts = verdictsOf(await reportOf(forwardingProxy))
  expect(verdicts).toMatchObject({ violations, retries, coverage, unexpected: unexpectedWith429 })
})
