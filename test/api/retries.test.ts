import { describe, expect, test } from 'vitest'
import type { ControlSchemas } from '../../src/client/transport.ts'
import { analyticsPath, call, event } from '../support/client.ts'
import { putRules } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'
import { readControl } from '../support/stored-records.ts'

const sim = sharedSimulator()

type Retries = ControlSchemas['Retries']

const retriesOf = (query: string, target: TestSimulator = sim()) => readControl<Retries>(target, `/retries?${query}`)

const statusesOf = ({ chains }: Retries) => chains.map(({ attempts }) => attempts.map(({ status }) => status))

/** Requests analytics with a scenario and returns the request's ID. */
async function callWith(sandbox: string, scenario: string, target: TestSimulator = sim()): Promise<string> {
  return String((await call(target, analyticsPath, { sandbox, scenario })).headers.get('x-request-id'))
}

/** Sets a rule with a sequence, requests analytics once per item of the sequence, and returns the request IDs. */
async function callThrough(sandbox: string, sequence: string, target: TestSimulator = sim()): Promise<string[]> {
  await putRules(target, [{ sequence }], sandbox)
  const ids: string[] = []
  for (const count of sequence.split(', ').keys()) {
    const { headers } = await call(target, analyticsPath, { sandbox, headers: { 'retry-attempt': String(count) } })
    ids.push(String(headers.get('x-request-id')))
  }
  return ids
}

describe('GET /__sim/retries', () => {
  test('shows all attempts at a call, up to the first success, and what was wrong with each retry', async () => {
    const ids = await callThrough('early', '429;retry-after=3, 200')
    const sentence = 'A 429 asked for a wait of 3 s, but the client retried sooner.'
    const attempts = [
      { id: ids[0], now: frozenNow, status: 429, outcome: 'failed', retryAfterMs: 3000, findings: [] },
      { id: ids[1], waitedMs: expect.any(Number), outcome: 'fine', findings: [{ rule: 'retry-after', sentence }] },
    ]
    const target = { sandbox: 'early', operation: 'getModelAnalytics', method: 'GET', path: analyticsPath, query: '' }
    const chains = [{ id: ids[0], ...target, parallel: false, earlier: 0, attempts }]
    expect(await retriesOf('sandbox=early')).toMatchObject({ chains, further: 0, truncated: false })
  })

  test('shows a failed call that was not retried, unless minAttempts is 2', async () => {
    await callWith('once', '503')
    expect(statusesOf(await retriesOf('sandbox=once'))).toEqual([[503]])
    expect(await retriesOf('sandbox=once&minAttempts=2')).toMatchObject({ chains: [], further: 0 })
  })

  test('omits negative tests, refusals by the simulator, and calls whose first attempt succeeded', async () => {
    await call(sim(), analyticsPath, { sandbox: 'none' })
    await call(sim(), analyticsPath, { sandbox: 'none', scenario: '404', headers: { 'x-sim-expect': 'refusal' } })
    await call(sim(), analyticsPath, { sandbox: 'none', scenario: 'no-such-scenario' })
    expect(await retriesOf('sandbox=none')).toMatchObject({ chains: [] })
  })

  test('shows the insertId of each attempt, so that a changed insertId is visible', async () => {
    await putRules(sim(), [{ sequence: '500, 201' }], 'changed')
    for (const [count, insertId] of ['order-1', 'order-2'].entries()) {
      const headers = { 'retry-attempt': String(count) }
      await call(sim(), '/v1/events', { body: event({ insertId, eventAt: frozenNow }), sandbox: 'changed', headers })
    }
    const [chain] = (await retriesOf('sandbox=changed')).chains
    const attempts = [{ insertId: 'order-1' }, { insertId: 'order-2' }]
    expect(chain).toMatchObject({ operation: 'createEvent', insertId: 'order-1', attempts })
    expect(chain?.attempts[1]?.findings).toContainEqual(expect.objectContaining({ rule: 'same-insert-id' }))
  })

  test('sorts chains by their latest attempt, newest first, and says how many more chains exist', async () => {
    for (const scenario of ['500', '503', '404', '500'])
      await call(sim(), '/v1/events', { body: event({ value: scenario }), sandbox: 'many', scenario })
    expect(statusesOf(await retriesOf('sandbox=many'))).toEqual([[500, 500], [404], [503]])
    const latest = await retriesOf('sandbox=many&limit=1')
    expect([statusesOf(latest), latest.further]).toEqual([[[500, 500]], 2])
  })

  test('shows rules and problems, but no chains, if limit is 0', async () => {
    await callThrough('no-chains', '429;retry-after=3, 200')
    const { chains, problems, rules } = await retriesOf('sandbox=no-chains&limit=0')
    expect(chains).toEqual([])
    expect(problems).toMatchObject({ findings: [{ rule: 'retry-after', count: 1 }], further: 0 })
    expect(Object.keys(rules)).toContain('retry-after')
  })

  test('shows only the chain that contains the given request, even if a newer chain exists', async () => {
    const ids = await callThrough('of-one', '503, 503, 200')
    await call(sim(), '/v1/events', { body: event(), sandbox: 'of-one', scenario: '404' })
    const alone = await callWith('of-one', '200;latency=1')
    for (const id of ids)
      expect(statusesOf(await retriesOf(`sandbox=of-one&limit=1&request=${id}`))).toEqual([[503, 503, 200]])
    expect(await retriesOf(`sandbox=of-one&request=${alone}`)).toMatchObject({ chains: [], further: 0 })
    expect(await retriesOf('sandbox=of-one&request=req-nobody')).toMatchObject({ chains: [] })
  })

  test('shows the latest 50 attempts of a chain and says how many earlier attempts there were', async () => {
    for (let attempt = 0; attempt < 53; attempt += 1) await callWith('long', '503')
    const [chain] = (await retriesOf('sandbox=long')).chains
    expect([chain?.attempts.length, chain?.earlier]).toEqual([50, 3])
    expect(chain?.id).not.toBe(chain?.attempts[0]?.id)
  })

  test('shows one sandbox, or all sandboxes if sandbox=*, and says whether attempts might be missing', async () => {
    const small = await startForTest({ journalSize: 2 })
    for (const sandbox of ['a', 'b', 'b', 'b']) await callWith(sandbox, '503', small)
    expect(await retriesOf('sandbox=*', small)).toMatchObject({ chains: [{ attempts: [{}, {}] }], truncated: true })
    expect(await retriesOf('sandbox=a', small)).toMatchObject({ chains: [], truncated: true })
  })
})
