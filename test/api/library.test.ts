import { describe, expect, test, vi } from 'vitest'
import { useSandbox } from '../../src/client/testing/node-test.ts'
import { analyticsPath, call, event, prompt, readStateInfo } from '../support/client.ts'

/** The built library, which loads faster than its sources. */
const { startSimulator }: typeof import('../../src/index.ts') = await import(
  new URL('../../dist/index.cjs', import.meta.url).href
)

describe('startSimulator', () => {
  test('starts a simulator that keeps its state in memory and listens on a free port until it is closed', async () => {
    const sim = await startSimulator()
    expect(sim.baseUrl).toBe(`${sim.origin}/v1`)
    expect(sim.controlUrl).toBe(`${sim.origin}/__sim`)
    expect((await call(sim, '/v1/events', { body: event() })).status).toBe(201)
    expect(await readStateInfo(sim)).toMatchObject({ file: ':memory:', events: 1 })
    await sim.close()
    await sim.close()
    await expect(call(sim, analyticsPath)).rejects.toThrow()
  })

  test('can start ten simulators side by side, each with its own seed, clock, scenarios and state', async () => {
    const instants = Array.from({ length: 10 }, (_, index) => `2026-01-${10 + index}T12:00:00.000Z`)
    const simulators = await Promise.all(
      instants.map((clock, index) => startSimulator({ clock: new Date(clock), seed: index })),
    )
    const use = async (simulator: (typeof simulators)[number], index: number) => {
      const sim = simulator.sandbox('same')
      if (index % 2 === 1) await sim.scenario('unavailable', {}, { operation: 'createPrompt' })
      await call(simulator, '/v1/events', { token: sim.token, body: event({ insertId: `order-${index}` }) })
      const created = await call(simulator, '/v1/prompts', { token: sim.token, body: prompt() })
      expect(created.status).toBe(index % 2 === 1 ? 503 : 201)
      expect((await sim.clock.read()).now).toBe(instants[index])
      expect((await sim.events()).map(({ fields }) => fields.insertId)).toEqual([`order-${index}`])
      expect((await simulator.report()).requests).toBe(2)
      return (await call(simulator, analyticsPath, { token: sim.token })).text
    }
    expect(new Set(await Promise.all(simulators.map(use))).size).toBe(10)
    await simulators[0]?.close()
    await expect(call(simulators[0] ?? { origin: '' }, analyticsPath)).rejects.toThrow()
    expect((await Promise.all(simulators.slice(1).map((each) => each.info()))).length).toBe(9)
    await Promise.all(simulators.map((each) => each.close()))
  })

  test('ignores undefined settings and converts values as the command line does', async () => {
    const settings: Record<string, unknown> = { state: undefined, seed: 42, maxAnalysesPerHour: '1' }
    await using sim = await startSimulator(settings)
    expect(await readStateInfo(sim)).toMatchObject({ file: ':memory:' })
    const info = await call(sim, '/__sim/info', { token: null })
    expect(info.body).toMatchObject({ seed: '42' })
    const statuses = [(await call(sim, analyticsPath)).status, (await call(sim, analyticsPath)).status]
    expect(statuses).toEqual([200, 429])
  })

  test.each([
    [{ prot: 4010 }, /Unknown setting "prot".*port/],
    [{ report: 'x.html' }, /"report" is not a library setting; it exists only on the command line, as --report\./],
    [{ clock: 'yesterday' }, /^clock.*"real" or a timestamp in the years 1900 to 9999/],
    [{ port: 70_000 }, /^port.*0 to 65535/],
    [{ rules: [{ scenario: '404' }] }, /^rules takes the name of a file; got \[\{"scenario":"404"\}\]\.$/],
    [{ contract: { openapi: '3.1.0' } }, /^contract takes the name of a file; got \{"openapi":"3\.1\.0"\}\.$/],
    [{ scenario: 'nonsense' }, /^scenario: .*nonsense/],
    [{ plan: 'platinum' }, /^plan: .*platinum/],
    [{ contract: 'no-such-file.yaml' }, /no-such-file\.yaml.*\(contract\)/],
    [{ host: '0.0.0.0' }, /^host: .*Set controlToken, or controlOpen/],
  ])('refuses %o and names the setting', async (settings: object, words) => {
    await expect(startSimulator(settings)).rejects.toThrow(words)
  })
})

test('a simulator works with fake timers, even if they are active when it starts', async () => {
  vi.useFakeTimers()
  try {
    const sim = await startSimulator()
    const { baseUrl, name } = sim.sandbox()
    const headers = { authorization: 'Bearer k', 'x-sim-scenario': 'slow;ms=30, dribble;ms=30' }
    const responses = Array.from({ length: 5 }, () =>
      fetch(`${baseUrl}/models/00000000-0000-4000-8000-000000000002/analytics`, { headers }),
    )
    for (const response of responses) expect(await (await response).json()).toHaveProperty('averageConversationRating')
    await sim.sandbox(name).expectReceived('getModelAnalytics', { times: 5, within: 30 })
    await sim.close()
  } finally {
    vi.useRealTimers()
  }
})

test('useSandbox for node:test requires the test context', async () => {
  await expect(useSandbox(undefined as never)).rejects.toThrow('useSandbox requires the test context')
})
