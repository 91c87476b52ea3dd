import { afterAll, beforeAll } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { startWatched, type TestSimulator } from './start.ts'
import type { WhenOver } from './temp-folder.ts'

/** Settings, or what makes them once the file begins. */
type Wanted = Partial<Settings> | ((whenOver: WhenOver) => Promise<Partial<Settings>>)

/** One simulator for all tests of a file that leave nothing behind. Call at the top of the file; use inside tests. */
export function sharedSimulator(settings: Wanted = {}): () => TestSimulator {
  let simulator: TestSimulator | undefined
  const removals: (() => Promise<void>)[] = []
  beforeAll(async () => {
    simulator = await startWatched(
      typeof settings === 'function' ? await settings((remove) => removals.push(remove)) : settings,
    )
  })
  afterAll(async () => {
    await simulator?.close()
    for (const remove of removals) await remove()
  })
  return () => {
    if (!simulator) throw new Error('the shared simulator is there only inside tests')
    return simulator
  }
}
