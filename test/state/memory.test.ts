import { createMemoryStore } from '../../src/state/memory.ts'
import { conformance } from './conformance.ts'

conformance('the store in memory', async () => createMemoryStore())
