import { describe, expect, test } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { analyticsPath, call, errorOf, event, type RequestOptions } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { readControl } from '../../support/stored-records.ts'

const sim = sharedSimulator()

let sandboxCount = 0

/** Sends a request to a new sandbox with a rule for `scenario` (if set). Returns the counts in the sandbox's report. */
async function countsAfter(path: string, options: RequestOptions, scenario?: string) {
  sandboxCount += 1
  const sandbox = `negative-${sandboxCount}`
  if (scenario !== undefined) await putRules(sim(), [{ scenario }], sandbox)
  await call(sim(), path, { ...options, headers: { ...options.headers, 'x-sim-sandbox': sandbox } })
  const { violations, unexpected, expected, retries } = await callControl(sim(), 'GET', `/report?sandbox=${sandbox}`)
  return { violations, unexpected, expected, retries }
}

const invalid = { body: event({ value: 7 }) }
const valid = { body: event() }
const expecting = (value: string, options: RequestOptions) => ({ ...options, headers: { 'x-sim-expect': value } })

const met = {
  violations: { requests: 0, findings: [] },
  unexpected: { responses: 0, findings: [] },
  expected: { requests: 1 },
  retries: { findings: [] },
}
const notMet = { violations: { requests: 0 }, unexpected: { responses: 1 }, expected: { requests: 0 } }

describe('a negative test', () => {
  test.each([
    ['a violation that occurs', '/v1/events', expecting('violation', invalid)],
    ['a refusal because of a violation', '/v1/events', expecting('refusal', invalid)],
    ['a refusal for a missing token', analyticsPath, expecting('refusal', { token: null })],
    ['a refusal for an unknown path', '/v1/nowhere', expecting('refusal', {})],
    ['a refusal for a missing Content-Type', '/v1/events', expecting('refusal', { ...valid, contentType: null })],
  ])('is counted separately if it expects %s', async (_name, path, options) => {
    expect(await countsAfter(path, options)).toMatchObject(met)
  })

  test.each([
    ['a violation, but the request is valid', '/v1/events', expecting('violation', valid)],
    ['a violation, but only the token is missing', '/v1/events', expecting('violation', { ...valid, token: null })],
    ['a refusal, but the request succeeds', analyticsPath, expecting('refusal', {})],
  ])('is reported as unexpected if it expects %s', async (_name, path, options) => {
    const counts = await countsAfter(path, options)
    expect(counts).toMatchObject(notMet)
    expect(JSON.stringify(counts.unexpected)).toMatch(/\(X-Sim-Expect or expect-(violation|refusal)\), but/)
  })

  test('can also be declared by a rule in its sandbox', async () => {
    expect(await countsAfter('/v1/events', invalid, 'expect-violation')).toMatchObject(met)
    expect(await countsAfter('/v1/events', valid, 'expect-violation')).toMatchObject(notMet)
    expect(await countsAfter('/v1/events', invalid, 'expect-refusal')).toMatchObject(met)
    expect(await countsAfter('/v1/events', { ...valid, token: null }, 'expect-refusal')).toMatchObject(met)
    expect(await countsAfter('/v1/nowhere', {}, 'expect-refusal')).toMatchObject(met)
  })

  test('is refused if it expects an unknown outcome', async () => {
    const response = await call(sim(), '/v1/events', expecting('failure', valid))
    expect(response.status).toBe(400)
    expect(errorOf(response)).toMatch(/violation or refusal; got "failure"/)
  })
})

describe('an unknown path', () => {
  test('has its own finding, which names the path', async () => {
    const headers = { 'x-sim-sandbox': 'paths' }
    for (const path of ['/v1/one', '/v1/two', '/v1/two']) await call(sim(), path, { headers })
    const { unexpected } = await callControl(sim(), 'GET', '/report?sandbox=paths')
    expect(unexpected).toMatchObject({
      responses: 3,
      findings: [
        { path: '/v1/one', count: 1, message: expect.stringContaining('/v1/one') },
        { path: '/v1/two', count: 2, message: expect.stringContaining('/v1/two') },
      ],
    })
  })

  test('does not displace other findings, since unknown paths after the first 20 share a finding', async () => {
    const headers = { 'x-sim-sandbox': 'many-paths' }
    for (let index = 0; index < 120; index += 1) await call(sim(), `/v1/path-${index}`, { headers })
    await call(sim(), analyticsPath, { headers, token: null })
    const { unexpected } = await readControl<ControlSchemas['Report']>(sim(), '/report?sandbox=many-paths')
    expect(unexpected).toMatchObject({ responses: 121, further: 0, findings: { length: 22 } })
    expect(unexpected.findings).toContainEqual(expect.objectContaining({ operation: 'getModelAnalytics' }))
  })
})
