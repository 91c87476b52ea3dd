import { expect, test } from 'vitest'
import { getModelAnalytics } from '../../src/operations/analytics.ts'
import type { OperationContext } from '../../src/operations/handler.ts'
import { noOverrides } from '../../src/scenarios/definition.ts'
import { createMemoryStore } from '../../src/state/memory/memory-store.ts'
import type { Store } from '../../src/state/store.ts'
import { createBundledWorld, now } from '../simulation/bundled-world.ts'
import { context, event, product } from '../state/drafts.ts'

const modelId = '6f1c1e0a-2b7d-4c55-9a35-0d6f2f0a9b02'

/** A store that has nothing at hand: all its answers come later, as those of a store beyond a network would. */
function late(store: Store): Store {
  return new Proxy(store, {
    get:
      (target, name: keyof Store) =>
      async (...args: unknown[]) =>
        Reflect.apply(target[name], target, args),
  })
}

test.each([0, 20])('whether a store answers at once or later, %i events do the same', async (count) => {
  const store = createMemoryStore()
  for (let n = 0; n < count; n += 1)
    await store.recordEvent(context, event({ insertId: `event-${n}`, influence: 'negative' }))
  const world = await createBundledWorld()
  const request: OperationContext = {
    sandbox: context.sandbox,
    seed: '1',
    now,
    overrides: noOverrides,
    parameters: { path: { modelId }, query: { period: '30d' }, header: {} },
    body: undefined,
    markDropped: () => {},
    explain: () => {},
    warn: () => {},
  }
  const bodies = [store, late(store)].map(async (one) => {
    const { handle } = getModelAnalytics({
      world,
      store: one,
      productsOfModel: new Map([[modelId, [product]]]),
      answers: [],
      cacheSize: 10,
    })
    return (await handle(request)).value
  })
  const [atOnce, later] = await Promise.all(bodies)
  expect(later).toEqual(atOnce)
  const { handle } = getModelAnalytics({ world, store, productsOfModel: new Map(), answers: [], cacheSize: 10 })
  const untouched = (await handle(request)).value
  if (count === 0) expect(atOnce).toEqual(untouched)
  else expect(atOnce).not.toEqual(untouched)
})
