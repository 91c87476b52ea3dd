// @module-tag long
import { expect, test } from 'vitest'
import { ask, event } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'

const remembering = sharedSimulator()
const forgetful = sharedSimulator()

const product = '00000000-0000-4000-9000-000000000001'
const model = '00000000-0000-4000-8000-000000000001'
const path = (id: string, period = '7d') => `/v1/models/${id}/analytics?period=${period}`

const bad = { productId: product, influence: 'negative', eventAt: '2026-01-14T10:00:00Z' }

function asked(headers: Record<string, string> = {}, target = path(model)) {
  return (sim: TestSimulator) => twice(sim, target, headers)
}

function after(action: (sim: TestSimulator) => Promise<unknown>) {
  return async (sim: TestSimulator) => {
    await action(sim)
    return twice(sim, path(model))
  }
}

/** One way through everything that an answer depends on, each asked for twice. */
const steps: readonly (readonly [string, (sim: TestSimulator) => Promise<unknown>])[] = [
  ['a model', asked()],
  ['another model', asked({}, path('00000000-0000-4000-8000-000000000002'))],
  ['its id in capitals', asked({}, path('0000000A-0000-4000-8000-00000000000A'))],
  ['another period', asked({}, path(model, '90d'))],
  ['another seed', asked({ 'x-sim-seed': '2' })],
  ['another day', asked({ 'x-sim-now': '2026-02-01T00:00:00Z' })],
  ['a persona', asked({ 'x-sim-scenario': 'critical' })],
  ['all null', asked({ 'x-sim-scenario': 'all-null' })],
  ['no null', asked({ 'x-sim-scenario': 'no-null' })],
  ['a field that is null', asked({ 'x-sim-scenario': 'null;fields=avgSafetyScore' })],
  ['damage', asked({ 'x-sim-scenario': 'drop-field' })],
  ['a body that is cut', asked({ 'x-sim-scenario': 'malformed-json' })],
  ['the first once more', asked()],
  ['an event of its product', after((sim) => ask(sim, '/v1/events', { body: event(bad) }))],
  ['another weight of events', after((sim) => steer(sim, 'PUT', '/quality', { weight: 0.9 }))],
  ['a reset', after((sim) => steer(sim, 'POST', '/reset', {}))],
]

const otherModel = (index: number) => path(`${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`)

/** Makes a simulator evict all answers from its cache, which has room for a hundred. */
async function fillCache(sim: TestSimulator) {
  await Promise.all(Array.from({ length: 101 }, (_, index) => ask(sim, otherModel(index))))
}

async function twice(sim: TestSimulator, target: string, headers: Record<string, string> = {}) {
  if (sim === forgetful()) await fillCache(sim)
  const [one, other] = [await raw(sim, target, headers), await raw(sim, target, headers)]
  expect(other).toEqual(one)
  return one
}

/** The text as it came, whether it is JSON or not. */
async function raw({ origin }: TestSimulator, target: string, headers: Record<string, string>) {
  const answer = await fetch(origin + target, { headers: { authorization: 'Bearer any-key', ...headers } })
  return { status: answer.status, text: await answer.text() }
}

test('answers are the same, byte for byte, whether they are remembered or made anew each time', async () => {
  const texts: string[] = []
  for (const [name, step] of steps) {
    const [one, other] = [await step(remembering()), await step(forgetful())]
    expect(one, name).toEqual(other)
    texts.push(JSON.stringify(one))
  }
  // All but those that go back to the first, and "no null" of a model that has none, are something else.
  expect(new Set(texts).size).toBe(steps.length - 3)
})
