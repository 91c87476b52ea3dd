import { describe, expect, test } from 'vitest'
import { periods } from '../support/analytics.ts'
import { analyticsPath, ask, errorOf, event, modelId, prompt, type RequestOptions } from '../support/client.ts'
import { modelIds } from '../support/model-ids.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

interface Wanted extends RequestOptions {
  readonly path: string
}

/** Every kind of request whose answer must not depend on what else is asked. */
const wanted: readonly Wanted[] = [
  ...modelIds(15).flatMap((id) => periods.map((period) => ({ path: `/v1/models/${id}/analytics?period=${period}` }))),
  ...Array.from({ length: 30 }, (_, index) => ({
    path: '/v1/events',
    body: event({ insertId: `order-${index}`, sampleRate: 0.5 }),
  })),
  ...Array.from({ length: 30 }, (_, index) => ({ path: '/v1/events', body: event({ value: `${index}` }) })),
  ...Array.from({ length: 20 }, (_, index) => ({ path: '/v1/prompts', body: prompt({ name: `prompt ${index}` }) })),
  { path: '/v1/models/gpt/analytics' },
  { path: '/v1/nowhere' },
]

/** The same list in another order, always the same one. */
function shuffled(list: readonly Wanted[]): Wanted[] {
  return list
    .map((one, index) => ({ one, place: ((index * 7919 + 13) % 104_729) % 97 }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)
}

const keyOf = ({ path, body }: Wanted) => `${path} ${JSON.stringify(body) ?? ''}`

async function oneAfterAnother(sim: TestSimulator, list: readonly Wanted[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const one of list) texts.set(keyOf(one), (await ask(sim, one.path, one)).text)
  return texts
}

async function allAtOnce(sim: TestSimulator, list: readonly Wanted[]): Promise<Map<string, string>> {
  const texts = await Promise.all(list.map(async (one) => [keyOf(one), (await ask(sim, one.path, one)).text] as const))
  return new Map(texts)
}

const sorted = (texts: ReadonlyMap<string, string>) => [...texts].sort(([a], [b]) => (a < b ? -1 : 1))

describe('the same seed and clock', () => {
  test('give the same bytes in any order of requests, alone or all at once', async () => {
    const [first, second, third] = await Promise.all([
      startForTest({ seed: 'same' }),
      startForTest({ seed: 'same' }),
      startForTest({ seed: 'same' }),
    ])
    const inOrder = sorted(await oneAfterAnother(first, wanted))
    expect(new Set(inOrder.map(([key]) => key)).size).toBe(wanted.length)
    expect(sorted(await oneAfterAnother(second, shuffled(wanted)))).toEqual(inOrder)
    expect(sorted(await allAtOnce(third, [...wanted].reverse()))).toEqual(inOrder)
  })

  test('give the same ids to prompts and events that are sent twice, in their order', async () => {
    const again = [prompt(), prompt(), prompt({ externalPromptId: 'a' }), prompt({ externalPromptId: 'a' })]
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const own = await startForTest({ seed: 'same' })
        const texts: string[] = []
        for (const body of again) texts.push((await ask(own, '/v1/prompts', { body })).text)
        for (const _ of [1, 2, 3]) texts.push((await ask(own, '/v1/events', { body: event() })).text)
        return texts
      }),
    )
    expect(runs[0]).toEqual(runs[1])
    expect(new Set(runs[0]).size).toBe(7)
  })
})

test('another seed gives other figures and other ids', async () => {
  const [one, other] = await Promise.all([startForTest({ seed: 'one' }), startForTest({ seed: 'other' })])
  for (const request of [{ path: analyticsPath }, { path: '/v1/events', body: event({ insertId: 'a' }) }]) {
    const [left, right] = await Promise.all([one, other].map((sim) => ask(sim, request.path, request)))
    expect(left?.status).toBe(right?.status)
    expect(left?.text).not.toBe(right?.text)
  }
})

const sim = sharedSimulator({ seed: '1' })
const bytes = async (headers: Record<string, string>, path = analyticsPath) =>
  (await ask(sim(), path, { headers })).text

describe('one request in another world', () => {
  test('X-Sim-Seed is the world that --seed would be', async () => {
    const own = await startForTest({ seed: '42' })
    expect(await bytes({ 'x-sim-seed': '42' })).toBe((await ask(own, analyticsPath)).text)
    expect(await bytes({ 'x-sim-seed': '42' })).not.toBe(await bytes({}))
  })

  test('Prefer: seed= means the same, and says that it was applied', async () => {
    const answer = await ask(sim(), analyticsPath, { headers: { prefer: 'seed=42' } })
    expect(answer.text).toBe(await bytes({ 'x-sim-seed': '42' }))
    expect(answer.headers.get('preference-applied')).toBe('seed=42')
  })

  test.each([
    [{ 'x-sim-foo': '1' }, /^There is no control header "x-sim-foo"\. Known: x-sim-scenario, /],
    [{ 'x-sim-seed': '1, 2' }, /must be given once, .*; got "1, 2"\.$/],
    [{ 'x-sim-seed': '' }, /seed must be given once, and be 1 to 64 visible/],
    [{ 'x-sim-seed': 'two words' }, /seed must be given once, and be 1 to 64 visible/],
    [{ 'x-sim-seed': 'x'.repeat(65) }, /seed must be given once, and be 1 to 64 visible/],
    [{ prefer: 'seed=' }, /seed must be given once, and be 1 to 64 visible/],
  ] as [Record<string, string>, RegExp][])('%o is refused', async (headers, words) => {
    const answer = await ask(sim(), `/v1/models/${modelId}/analytics`, { headers })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-sim-origin')).toBe('simulator')
    expect(errorOf(answer)).toMatch(words)
  })
})
