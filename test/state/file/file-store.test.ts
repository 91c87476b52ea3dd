import { expect } from 'vitest'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { conformance } from '../conformance.ts'
import { type RestartableStore, stateProperty } from '../property.ts'
import { copyAsKilled, openOrFail, smallDisk, statePath } from './open-file.ts'

conformance('the file store', async () => (await openOrFail(statePath())).store)

conformance('the file store with frequent checkpoints', async () => {
  return (await openOrFail(statePath(), { checkpointMs: 0 })).store
})

/** Opens a file store with frequent checkpoints, on a disk that can become full. */
async function open(): Promise<RestartableStore> {
  let path = statePath()
  const disk = smallDisk()
  /** Stores whose processes are treated as killed. They are closed at the end. */
  const killed: Store[] = []
  const reopen = async () => {
    const { store, loaded } = await openOrFail(path, { checkpointMs: 0, write: disk.write })
    expect(loaded.warnings).toEqual([])
    return store
  }
  let store = await reopen()
  return {
    get store() {
      return store
    },
    async restart(isGraceful) {
      if (isGraceful) await store.close()
      else killed.push(store)
      if (!isGraceful) path = copyAsKilled(path)
      store = await reopen()
    },
    async refuse(writes) {
      disk.free = 50
      const outcomes = await Promise.allSettled(writes(store))
      disk.free = Number.POSITIVE_INFINITY
      for (const outcome of outcomes)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreWriteError)
    },
    async close() {
      for (const each of [store, ...killed]) await each.close()
    },
  }
}

stateProperty(open, 40)
