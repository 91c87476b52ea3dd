import { writeSync } from 'node:fs'
import { expect } from 'vitest'
import type { CompleteOptions } from '../../../src/state/file/options.ts'
import { type Store, StoreWriteError } from '../../../src/state/store.ts'
import { type RestartableStore, stateProperty } from '../property.ts'
import { copyAsKilled, openOrFail, statePath } from './open-file.ts'

/** Opens a store in a file with frequent checkpoints and a disk that can be full. */
async function open(): Promise<RestartableStore> {
  let path = statePath()
  let isFull = false
  /** The stores that count as killed. They must be closed at the end. */
  const killed: Store[] = []
  const write: CompleteOptions['write'] = (fd, bytes, offset) => {
    if (!isFull) return writeSync(fd, bytes, offset)
    writeSync(fd, bytes, offset, (bytes.length - offset) >> 1)
    throw new Error('ENOSPC: no space left on device')
  }
  const openAgain = async () => {
    const { store, loaded } = await openOrFail(path, { checkpointMs: 0, write })
    expect(loaded.warnings).toEqual([])
    return store
  }
  let store = await openAgain()
  return {
    get store() {
      return store
    },
    async restart(isGraceful) {
      if (isGraceful) await store.close()
      else killed.push(store)
      if (!isGraceful) path = copyAsKilled(path)
      store = await openAgain()
    },
    async refuse(writes) {
      isFull = true
      const outcomes = await Promise.allSettled(writes(store))
      isFull = false
      for (const outcome of outcomes)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreWriteError)
    },
    async close() {
      for (const each of [store, ...killed]) await each.close()
    },
  }
}

stateProperty(open, 40)
