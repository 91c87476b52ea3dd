import { BaseStore } from '../base-store.ts'
import type { Store } from '../store.ts'
import { StateData } from './state-data.ts'

/** Creates a store whose state ends with the process. It behaves as the store in a file otherwise. */
export function createMemoryStore(): Store {
  const state = new StateData()
  let isClosed = false
  return new BaseStore(state, {
    async commit(change) {
      if (isClosed) throw new Error('The state is closed.')
      state.apply(change)
    },
    async close() {
      isClosed = true
    },
  })
}
