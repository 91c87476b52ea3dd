import { describe, expect, test } from 'vitest'
import { valueAt } from '../../../src/core/json-pointer.ts'
import { analyticsPath, ask, askOperation, event, expectRefusal, objectOf, operations } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import type { TestSimulator } from '../../support/start.ts'

const sim = sharedSimulator()

/** A sandbox that no other test of this file has used. */
let sandboxes = 0
const freshSandbox = () => `sequence-${++sandboxes}`

interface Sequenced {
  readonly sandbox: string
  /** Undefined: by a rule of the sandbox. */
  readonly sequence?: string
}

async function statusOf(target: TestSimulator, { sandbox, sequence }: Sequenced): Promise<number> {
  const headers = { 'x-sim-sandbox': sandbox, ...(sequence !== undefined && { 'x-sim-sequence': sequence }) }
  return (await ask(target, `${analyticsPath}?period=7d`, { headers })).status
}

async function statusesOf(target: TestSimulator, count: number, sequenced: Sequenced): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < count) statuses.push(await statusOf(target, sequenced))
  return statuses
}

/** What a client does that retries on 429 and 503: how many attempts it took, and how it ended. */
async function retrying(target: TestSimulator, sequenced: Sequenced): Promise<{ attempts: number; status: number }> {
  for (let attempts = 1; attempts < 50; attempts += 1) {
    const status = await statusOf(target, sequenced)
    if (status !== 429 && status !== 503) return { attempts, status }
  }
  throw new Error('it never ended')
}

const orders = [
  ['429*2, 200', [429, 429, 200, 200, 200]],
  ['429,429,200', [429, 429, 200, 200]],
  ['200', [200, 200]],
  ['429;retry-after=1*2, 503, 200', [429, 429, 503, 200, 200]],
  ['rate-limited * 3, critical', [429, 429, 429, 200]],
  ['200*2, not-found', [200, 200, 404, 404, 404]],
  ['500, 200, 500', [500, 200, 500, 500]],
] as const

describe('the n-th request gets the n-th item, and the last one repeats', () => {
  test.each(orders)('X-Sim-Sequence: %s', async (sequence, statuses) => {
    const sandbox = freshSandbox()
    expect(await statusesOf(sim(), statuses.length, { sandbox, sequence })).toEqual(statuses)
  })

  test.each(orders)('a rule with the sequence %s', async (sequence, statuses) => {
    const sandbox = freshSandbox()
    await putRules(sim(), [{ sequence, operation: 'getModelAnalytics' }], sandbox)
    expect(await statusesOf(sim(), statuses.length, { sandbox })).toEqual(statuses)
  })
})

test('an item has its parameters, and says which it was', async () => {
  const headers = { 'x-sim-sandbox': freshSandbox(), 'x-sim-sequence': '429;retry-after=7, 503;retry-after=9' }
  const first = await ask(sim(), analyticsPath, { headers })
  const second = await ask(sim(), analyticsPath, { headers })
  expect([first, second].map((one) => one.headers.get('retry-after'))).toEqual(['7', '9'])
  expect(first.headers.get('x-sim-scenario')).toBe('429;retry-after=7')
})

test.each([
  ['20 sandboxes by header', (sequence: string) => sequence],
  ['20 sandboxes by rule', () => undefined],
] as const)(
  'a client that retries needs as many attempts as its sequence has failures: %s at once',
  async (_name, byHeader) => {
    const workers = Array.from({ length: 20 }, (_, index) => ({
      sandbox: freshSandbox(),
      failures: index % 7,
      sequence: [`429*${index % 7}`, '503', '200'].slice(index % 7 === 0 ? 1 : 0).join(', '),
    }))
    await Promise.all(
      workers.map(async ({ sandbox, sequence }) => {
        if (byHeader(sequence) === undefined) await putRules(sim(), [{ sequence }], sandbox)
      }),
    )
    const done = await Promise.all(
      workers.map(async ({ sandbox, sequence, failures }) => {
        const given = byHeader(sequence)
        const result = await retrying(sim(), { sandbox, ...(given !== undefined && { sequence: given }) })
        return { ...result, wanted: failures + 2 }
      }),
    )
    expect(done.map(({ attempts }) => attempts)).toEqual(done.map(({ wanted }) => wanted))
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]))
  },
)

test('requests at the same time share the items out: each is met as often as it is written', async () => {
  const sandbox = freshSandbox()
  const all = Array.from({ length: 40 }, () => statusOf(sim(), { sandbox, sequence: '429*7, 503*5, 404*3, 200' }))
  const statuses = await Promise.all(all)
  const count = (status: number) => statuses.filter((one) => one === status).length
  expect([429, 503, 404, 200].map(count)).toEqual([7, 5, 3, 25])
})

describe('each has its own count', () => {
  test('operation', async () => {
    const headers = { 'x-sim-sandbox': freshSandbox(), 'x-sim-sequence': '429, 503' }
    const statuses: number[] = []
    for (const operation of [...operations, ...operations])
      statuses.push((await askOperation(sim(), operation, { headers })).status)
    expect(statuses).toEqual([429, 429, 429, 503, 503, 503])
  })

  test('text of a sequence', async () => {
    const sandbox = freshSandbox()
    expect(await statusesOf(sim(), 2, { sandbox, sequence: '429, 200' })).toEqual([429, 200])
    expect(await statusesOf(sim(), 2, { sandbox, sequence: '429, 503' })).toEqual([429, 503])
    expect(await statusesOf(sim(), 1, { sandbox, sequence: '429, 200' })).toEqual([200])
  })

  test('rule, however alike they are, and none with a header', async () => {
    const sandbox = freshSandbox()
    const sequence = '429, 200'
    const rules = ['a', 'b'].map((name) => ({ sequence, match: { header: { 'x-case': name } } }))
    await putRules(sim(), rules, sandbox)
    const statuses: number[] = []
    for (const name of ['a', 'b', 'a', 'b']) {
      const headers = { 'x-sim-sandbox': sandbox, 'x-case': name }
      statuses.push((await ask(sim(), analyticsPath, { headers })).status)
    }
    expect(statuses).toEqual([429, 429, 200, 200])
    expect(await statusesOf(sim(), 2, { sandbox, sequence })).toEqual([429, 200])
    const { sequences } = await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(sequences).toMatchObject([
      { rule: { scope: 'sandbox', index: 0 }, sequence, met: 2 },
      { rule: { scope: 'sandbox', index: 1 }, sequence, met: 2 },
      { operation: 'getModelAnalytics', sequence, met: 2 },
    ])
    expect(valueAt(sequences, '/2/rule')).toBeUndefined()
  })

  test('set of rules: put anew, they begin anew, and what was put before is not told any more', async () => {
    const sandbox = freshSandbox()
    for (let round = 0; round < 2; round += 1) {
      await putRules(sim(), [{ sequence: '429*2, 200' }], sandbox)
      expect(await statusesOf(sim(), 3, { sandbox })).toEqual([429, 429, 200])
    }
    const { sequences } = await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(sequences).toMatchObject([{ operation: 'getModelAnalytics', sequence: '429*2, 200', met: 3 }])
    expect(sequences).toHaveLength(1)
  })
})

describe('GET /__sim/sequences', () => {
  test('tells how far each is', async () => {
    const sandbox = freshSandbox()
    expect(await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)).toEqual({ sequences: [] })
    await statusesOf(sim(), 4, { sandbox, sequence: '429*2, 200' })
    await ask(sim(), '/v1/events', {
      body: event(),
      headers: { 'x-sim-sandbox': sandbox, 'x-sim-sequence': '503, 201' },
    })
    expect(await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)).toEqual({
      sequences: [
        {
          operation: 'getModelAnalytics',
          sequence: '429*2, 200',
          met: 4,
          items: [
            { scenario: '429', times: 2 },
            { scenario: '200', times: 1 },
          ],
          position: 1,
          next: '200',
        },
        {
          operation: 'createEvent',
          sequence: '503, 201',
          met: 1,
          items: [
            { scenario: '503', times: 1 },
            { scenario: '201', times: 1 },
          ],
          position: 1,
          next: '201',
        },
      ],
    })
    expect(await steer(sim(), 'GET', `/sequences?sandbox=${freshSandbox()}`)).toEqual({ sequences: [] })
  })

  test('tells of those of rules as well, and of nothing else that is counted', async () => {
    const sandbox = freshSandbox()
    const rules = [
      { scenario: 'critical', times: 1, probability: 0.5 },
      { sequence: '429, 200', operation: 'getModelAnalytics', match: { header: { 'X-Case': 'a' } } },
    ]
    await putRules(sim(), rules, sandbox)
    const headers = { 'x-sim-sandbox': sandbox, 'x-case': 'a' }
    // The first rule acts on one of them, sooner or later, and the second on all others.
    const statuses: number[] = []
    for (let asked = 0; asked < 3; asked += 1) statuses.push((await ask(sim(), analyticsPath, { headers })).status)
    expect(statuses).toContain(429)
    const { sequences } = await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(sequences).toMatchObject([
      { operation: 'getModelAnalytics', sequence: '429, 200', rule: { scope: 'sandbox', index: 1 } },
    ])
    expect(sequences).toHaveLength(1)
  })

  test('names the item that the next request gets', async () => {
    const sandbox = freshSandbox()
    const sequence = '429;retry-after=1*2, 503, 200'
    const seen: unknown[] = []
    for (let asked = 0; asked < 5; asked += 1) {
      await statusesOf(sim(), 1, { sandbox, sequence })
      const { sequences } = await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
      seen.push([valueAt(sequences, '/0/position'), valueAt(sequences, '/0/next')])
    }
    const last = [2, '200']
    expect(seen).toEqual([[0, '429;retry-after=1'], [1, '503'], last, last, last])
  })

  test('shows the items of a long sequence if a rule has it', async () => {
    const sandbox = freshSandbox()
    const sequence = Array.from({ length: 300 }, () => '429').join(', ')
    await putRules(sim(), [{ sequence, operation: 'getModelAnalytics' }], sandbox)
    await statusesOf(sim(), 1, { sandbox })
    await statusesOf(sim(), 1, { sandbox, sequence })
    const { sequences } = await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(valueAt(sequences, '/0/items')).toHaveLength(300)
    expect(valueAt(sequences, '/0/sequence')).toBe(sequence)
    expect(sequences).toMatchObject([{ position: 1 }, { sequence: expect.stringMatching(/^429, 429, .*\u2026/) }])
    expect(valueAt(sequences, '/1/items')).toBeUndefined()
  })
})

test('a reset begins every sequence anew', async () => {
  const sandbox = freshSandbox()
  const sequence = '429*2, 200'
  expect(await statusesOf(sim(), 2, { sandbox, sequence })).toEqual([429, 429])
  await steer(sim(), 'POST', `/reset?sandbox=${sandbox}`)
  expect(await statusesOf(sim(), 3, { sandbox, sequence })).toEqual([429, 429, 200])
})

test('a sequence acts together with scenarios', async () => {
  const headers = { 'x-sim-sandbox': freshSandbox(), 'x-sim-sequence': '429, 200', 'x-sim-scenario': 'drop-field' }
  const first = await ask(sim(), analyticsPath, { headers })
  const second = await ask(sim(), analyticsPath, { headers })
  expect([first.status, second.status]).toEqual([429, 200])
  expect(Object.keys(objectOf(first))).toHaveLength(1)
  expect(second.headers.get('x-sim-damage')).toMatch(/^drop-field at/)
})

describe('is refused, and counts for nothing', () => {
  test.each([
    ['429*0, 200', /never met/],
    ['', /at least one item/],
    ['200, 413', /makes no sense here/],
    ['critical, lost-ack', /makes no sense here/],
    [`429*2, ${'2'.repeat(2000)}`, /at most 2000 characters/],
  ])('%j', async (sequence, says) => {
    const sandbox = freshSandbox()
    const headers = { 'x-sim-sandbox': sandbox, 'x-sim-sequence': sequence }
    const answer = await ask(sim(), analyticsPath, { headers })
    expectRefusal(answer, 400, says)
    expect(answer.headers.get('x-sim-origin')).toBe('simulator')
    expect(await steer(sim(), 'GET', `/sequences?sandbox=${sandbox}`)).toEqual({ sequences: [] })
  })

  test('an item that clashes with a scenario of the same request', async () => {
    const headers = { 'x-sim-sandbox': freshSandbox(), 'x-sim-sequence': '200, 429', 'x-sim-scenario': 'server-error' }
    await ask(sim(), analyticsPath, { headers })
    expectRefusal(await ask(sim(), analyticsPath, { headers }), 400, /cannot both act/)
  })
})
