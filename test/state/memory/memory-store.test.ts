import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { conformance } from '../conformance.ts'
import { context, event } from '../drafts.ts'
import { stateProperty } from '../property.ts'

conformance('the store in memory', async () => createMemoryStore())

test('an impact is cut at a million, for contracts that do not bound the score', async () => {
  const { event: stored } = await createMemoryStore().recordEvent(context, event({ qualityImpactScore: -1e308 }))
  expect(stored.impact).toBe(-1e6)
})

stateProperty(async () => {
  const store = createMemoryStore()
  return { store, restart: async () => {}, close: () => store.close() }
}, 40)
