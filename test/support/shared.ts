import { afterAll, beforeAll } from 'vitest'
import type { Settings } from '../../src/settings.ts'
import { startWatched, type TestSimulator } from './start.ts'

/** Settings, or what makes them once the file begins. */
type Wanted = Partial<Settings> | (() => Promise<Partial<Settings>>)

/** One simulator for all tests of a file that leave nothing behind. Call at the top of the file; use inside tests. */
export function sharedSimulator(settings: Wanted = {}): () => TestSimulator {
  let simulator: TestSimulator | undefined
  beforeAll(async () => {
    simulator = await startWatched(typeof settings === 'function' ? await settings() : settings)
  })
  afterAll(() => simulator?.close())
  return () => {
    if (!simulator) throw new Error('the shared simulator is there only inside tests')
    return simulator
  }
}
