import { describe, expect, test } from 'vitest'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { analyticsPath, ask, errorOf, event, type RequestOptions } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { readControl } from '../../support/stored-records.ts'

const sim = sharedSimulator()

let count = 0

/** Sends a request in a new sandbox, and returns the counts of its report. */
async function countsAfter(path: string, how: RequestOptions, rule?: string) {
  count += 1
  const sandbox = `negative-${count}`
  if (rule !== undefined) await putRules(sim(), [{ scenario: rule }], sandbox)
  await ask(sim(), path, { ...how, headers: { ...how.headers, 'x-sim-sandbox': sandbox } })
  const { violations, unexpected, expected, retries } = await steer(sim(), 'GET', `/report?sandbox=${sandbox}`)
  return { violations, unexpected, expected, retries }
}

const broken = { body: event({ value: 7 }) }
const fitting = { body: event() }
const expecting = (outcome: string, how: RequestOptions) => ({ ...how, headers: { 'x-sim-expect': outcome } })

const met = {
  violations: { requests: 0, findings: [] },
  unexpected: { responses: 0, findings: [] },
  expected: { requests: 1 },
  retries: { findings: [] },
}
const notMet = { violations: { requests: 0 }, unexpected: { responses: 1 }, expected: { requests: 0 } }

describe('a negative test', () => {
  test.each([
    ['a violation that occurs', '/v1/events', expecting('violation', broken)],
    ['a refusal by a violation', '/v1/events', expecting('refusal', broken)],
    ['a refusal for a missing token', analyticsPath, expecting('refusal', { token: null })],
    ['a refusal of an unknown path', '/v1/nowhere', expecting('refusal', {})],
    ['a body without a Content-Type', '/v1/events', expecting('refusal', { ...fitting, contentType: null })],
  ])('is counted separately if it expects %s', async (_name, path, how) => {
    expect(await countsAfter(path, how)).toMatchObject(met)
  })

  test.each([
    ['a violation, and the request fits', '/v1/events', expecting('violation', fitting)],
    ['a violation, and the token is missing', '/v1/events', expecting('violation', { ...fitting, token: null })],
    ['a refusal, and the request is handled', analyticsPath, expecting('refusal', {})],
  ])('is unexpected if it expects %s', async (_name, path, how) => {
    const counts = await countsAfter(path, how)
    expect(counts).toMatchObject(notMet)
    expect(JSON.stringify(counts.unexpected)).toMatch(/X-Sim-Expect: (violation|refusal)\), but/)
  })

  test('can also be marked by a rule of its sandbox', async () => {
    expect(await countsAfter('/v1/events', broken, 'expect-violation')).toMatchObject(met)
    expect(await countsAfter('/v1/events', fitting, 'expect-violation')).toMatchObject(notMet)
    expect(await countsAfter('/v1/events', broken, 'expect-refusal')).toMatchObject(met)
    expect(await countsAfter('/v1/events', { ...fitting, token: null }, 'expect-refusal')).toMatchObject(met)
    expect(await countsAfter('/v1/nowhere', {}, 'expect-refusal')).toMatchObject(met)
  })

  test('is refused if it expects something unknown', async () => {
    const response = await ask(sim(), '/v1/events', expecting('failure', fitting))
    expect(response.status).toBe(400)
    expect(errorOf(response)).toMatch(/violation or refusal; got "failure"/)
  })
})

describe('an unknown path', () => {
  test('has its own finding, with its request line', async () => {
    const headers = { 'x-sim-sandbox': 'paths' }
    for (const path of ['/v1/one', '/v1/two', '/v1/two']) await ask(sim(), path, { headers })
    const { unexpected } = await steer(sim(), 'GET', '/report?sandbox=paths')
    expect(unexpected).toMatchObject({
      responses: 3,
      findings: [
        { path: '/v1/one', count: 1, message: expect.stringContaining('/v1/one') },
        { path: '/v1/two', count: 2, message: expect.stringContaining('/v1/two') },
      ],
    })
  })

  test('leaves room for other findings, however many there are', async () => {
    const headers = { 'x-sim-sandbox': 'many-paths' }
    for (let index = 0; index < 120; index += 1) await ask(sim(), `/v1/path-${index}`, { headers })
    await ask(sim(), analyticsPath, { headers, token: null })
    const { unexpected } = await readControl<ControlSchemas['Report']>(sim(), '/report?sandbox=many-paths')
    expect(unexpected).toMatchObject({ responses: 121, further: 0, findings: { length: 22 } })
    expect(unexpected.findings).toContainEqual(expect.objectContaining({ operation: 'getModelAnalytics' }))
  })
})
