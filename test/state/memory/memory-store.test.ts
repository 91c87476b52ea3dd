import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { conformance } from '../conformance.ts'
import { stateProperty } from '../property.ts'

conformance('the store in memory', async () => createMemoryStore())

stateProperty(async () => {
  const store = createMemoryStore()
  return { store, restart: async () => {}, close: () => store.close() }
}, 40)
