import { describe, expect } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import type { Analytics } from '../../src/service/simulation/analytics.ts'
import { analyticsPath, call, errorOf, event, expectRefusal, type TestResponse } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator, test } from '../support/start.ts'
import { readAllEvents } from '../support/stored-records.ts'

const frozenSim = sharedSimulator()
const realSim = sharedSimulator({ clock: 'real' })

let sandboxCount = 0

/** Returns the token of a sandbox that no other test uses, and a function that adds this sandbox to a path. */
function freshSandbox() {
  const name = `clock-${++sandboxCount}`
  return { token: `k~${name}`, inSandbox: (path: string) => `${path}?sandbox=${name}` }
}

/** Returns the days in an analytics response, each in the form `2026-01-15`. */
const daysOf = ({ text }: TestResponse): string[] =>
  (JSON.parse(text) as Analytics).dataPoints.map(({ date }) => date.slice(0, 10))

const dateOf = ({ headers }: TestResponse) => Date.parse(headers.get('date') ?? '')
const timeOf = ({ now }: Record<string, Json>) => Date.parse(String(now))
const weekPath = `${analyticsPath}?period=7d`
const instant = '2026-03-01T00:30:00.000Z'

describe('the clock', () => {
  const advanceBy = (by: string): [string, string, JsonObject] => ['POST', '/clock/advance', { by }]
  const shiftToInstant: [string, string, JsonObject] = ['PUT', '/clock', { mode: 'shifted', now: instant }]

  test.each<[string, () => TestSimulator, [string, string, JsonObject][], string, () => number]>([
    ['follows real time with --clock real', realSim, [], 'real', Date.now],
    ['returns to real time', frozenSim, [advanceBy('7d'), ['PUT', '/clock', { mode: 'real' }]], 'real', Date.now],
    ['continues from the time it was shifted to', frozenSim, [shiftToInstant], 'shifted', () => Date.parse(instant)],
    ['becomes shifted if advanced in real mode', realSim, [advanceBy('1h')], 'shifted', () => Date.now() + 3_600_000],
  ])('%s', async (_name, sim, steps, mode, startsAt) => {
    const { inSandbox } = freshSandbox()
    const [startedAt, expectedStart] = [Date.now(), startsAt()]
    for (const [method, path, body] of steps) await callControl(sim(), method, inSandbox(path), body)
    const clock = await callControl(sim(), 'GET', inSandbox('/clock'))
    expect(clock['mode']).toBe(mode)
    expect(timeOf(clock)).toBeGreaterThanOrEqual(expectedStart)
    expect(timeOf(clock)).toBeLessThanOrEqual(expectedStart + Date.now() - startedAt)
  })

  test('stays shifted and stops at the latest possible time', async () => {
    const [sim, { inSandbox, token }] = [realSim(), freshSandbox()]
    expect((await callControl(sim, 'PUT', inSandbox('/clock'), { mode: 'shifted' }))['mode']).toBe('shifted')
    expect((await callControl(sim, 'GET', inSandbox('/clock')))['mode']).toBe('shifted')
    await callControl(sim, 'PUT', inSandbox('/clock'), { mode: 'shifted', now: '9999-12-31T23:59:59.999Z' })
    expect((await callControl(sim, 'GET', inSandbox('/clock')))['now']).toBe('9999-12-31T23:59:59.999Z')
    expect((await call(sim, weekPath, { token })).status).toBe(200)
  })

  test.each([
    ['2026-03-01T00:30:00Z', instant],
    ['2026-03-01T01:30:00+01:00', instant],
    ['1900-01-01', '1900-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('can be frozen at %s', async (now, expected) => {
    const [sim, { inSandbox, token }] = [realSim(), freshSandbox()]
    expect(await callControl(sim, 'PUT', inSandbox('/clock'), { mode: 'frozen', now })).toEqual({
      mode: 'frozen',
      now: expected,
    })
    expect(await callControl(sim, 'GET', inSandbox('/clock'))).toEqual({ mode: 'frozen', now: expected })
    expect((await call(sim, analyticsPath, { token })).status).toBe(200)
  })

  test.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['15m', 900_000],
    ['7d', 604_800_000],
    ['0s', 0],
    [' 1 h ', 3_600_000],
  ])('can be advanced by %s while it is frozen', async (by, ms) => {
    const [sim, { inSandbox }] = [frozenSim(), freshSandbox()]
    const now = new Date(Date.parse(frozenNow) + ms).toISOString()
    expect(await callControl(sim, 'POST', inSandbox('/clock/advance'), { by })).toEqual({ mode: 'frozen', now })
  })

  test.each<[string, string, Json, RegExp]>([
    ['PUT', '/clock', {}, /mode/],
    ['PUT', '/clock', { mode: 'stopped' }, /"real", "frozen", "shifted"/],
    ['PUT', '/clock', { mode: 'frozen', now: 'noon' }, /now/],
    ['PUT', '/clock', { mode: 'frozen', now: '1899-12-31' }, /1900 to 9999/],
    ['PUT', '/clock', { mode: 'real', now: instant }, /real clock/],
    ['PUT', '/clock', { mode: 'frozen', at: instant }, /at/],
    ['POST', '/clock/advance', {}, /by/],
    ['POST', '/clock/advance', { by: '90' }, /duration such as 250ms/],
    ['POST', '/clock/advance', { by: '-1h' }, /duration/],
    ['POST', '/clock/advance', { by: '3000000d' }, /year 9999/],
    ['POST', '/clock/advance', { by: `${'9'.repeat(40)}s` }, /by/],
  ])('is not changed by %s %s with the invalid body %j', async (method, path, body, pattern) => {
    const [sim, { inSandbox }] = [frozenSim(), freshSandbox()]
    expectRefusal(await call(sim, `/__sim${inSandbox(path)}`, { method, body }), 400, pattern)
    expect(await callControl(sim, 'GET', inSandbox('/clock'))).toEqual({ mode: 'frozen', now: frozenNow })
  })
})

describe('the simulated time of a request', () => {
  test('is the default for eventAt and is stored as receivedAt', async ({ own }) => {
    await callControl(own, 'PUT', '/clock?sandbox=a', { mode: 'frozen', now: instant })
    await call(own, '/v1/events', { token: 'k~a', body: event() })
    await call(own, '/v1/events', { token: 'k~b', body: event(), headers: { 'x-sim-now': '2025-05-05T05:05:05Z' } })
    const times = async (name: string) =>
      (await readAllEvents(own, name)).map(({ fields, receivedAt }) => [fields.eventAt, receivedAt])
    expect(await times('a')).toEqual([[instant, instant]])
    expect(await times('b')).toEqual([['2025-05-05T05:05:05.000Z', '2025-05-05T05:05:05.000Z']])
  })

  test('is in the Date header of successful responses and refusals', async () => {
    const sim = await startForTest({ clock: '2026-03-01T00:30:00.999Z' })
    expect(dateOf(await call(sim, analyticsPath))).toBe(Date.parse(instant))
    expect(dateOf(await call(sim, '/v1/nothing'))).toBe(Date.parse(instant))
    expect(dateOf(await call(sim, analyticsPath, { headers: { 'x-sim-scenario': '503' } }))).toBe(Date.parse(instant))
  })
})

describe('X-Sim-Now', () => {
  test('gives one request the same data as a clock frozen at that time', async () => {
    const [sim, frozenAtInstant] = [frozenSim(), await startForTest({ clock: instant })]
    const response = await call(sim, weekPath, { headers: { 'x-sim-now': '2026-03-01T01:30:00.5+01:00' } })
    expect(response.text).toBe((await call(frozenAtInstant, weekPath)).text)
    expect(dateOf(response)).toBe(Date.parse(instant))
    expect(daysOf(await call(sim, weekPath)).at(-1)).toBe('2026-01-15')
  })

  test.each(['noon', '', '1899-12-31', '9'.repeat(5000)])('with the value $0 is refused', async (now) => {
    const response = await call(frozenSim(), analyticsPath, { headers: { 'x-sim-now': now } })
    expectRefusal(response, 400, /X-Sim-Now must be a time in the years 1900 to 9999, such as/)
    expect(errorOf(response).length).toBeLessThan(250)
  })
})
