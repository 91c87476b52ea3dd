import { afterAll, beforeAll } from 'vitest'
import type { Settings } from '../../src/server/settings/settings.ts'
import { startWatched, type TestSimulator } from './start.ts'
import type { OnFinished } from './temp-folder.ts'

/** Settings, or a function that creates them before the first test and can pass its parameter to `tempFolder`. */
type SettingsSource = Partial<Settings> | ((onFinished: OnFinished) => Promise<Partial<Settings>>)

/** Shares a simulator among a file's tests. Call this at the file's top level, and the returned function in tests. */
export function sharedSimulator(settings: SettingsSource = {}): () => TestSimulator {
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
    if (!simulator) throw new Error('the shared simulator is available only inside tests')
    return simulator
  }
}
