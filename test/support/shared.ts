import { afterAll, beforeAll } from 'vitest'
import type { Settings } from '../../src/settings.ts'
import { startWatched, type TestSimulator } from './start.ts'

/** One simulator for all tests of a file that leave nothing behind. Call at the top of the file; use inside tests. */
export function sharedSimulator(settings: Partial<Settings> = {}): () => TestSimulator {
  let simulator: TestSimulator | undefined
  beforeAll(async () => {
    simulator = await startWatched(settings)
  })
  afterAll(() => simulator?.close())
  return () => {
    if (!simulator) throw new Error('the shared simulator is there only inside tests')
    return simulator
  }
}
