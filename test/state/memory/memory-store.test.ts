import { createMemoryStore } from '../../../src/state/memory/memory-store.ts'
import { conformance } from '../conformance.ts'

conformance('the store in memory', async () => createMemoryStore())
