import { BaseStore } from '../base-store.ts'
import type { Store } from '../store.ts'
import { StateData } from './state-data.ts'

/** The state of a simulator that forgets everything when it ends. Otherwise it behaves as the file does. */
export function createMemoryStore(): Store {
  const data = new StateData()
  let isClosed = false
  return new BaseStore({
    data,
    async commit(command) {
      if (isClosed) throw new Error('The state is closed.')
      const { change, answer } = command(data)
      if (change !== undefined) data.apply(change)
      return answer
    },
    async close() {
      isClosed = true
    },
  })
}
