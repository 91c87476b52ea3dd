import { KeptStore } from '../base-store.ts'
import type { Store } from '../store.ts'
import { World } from './state-data.ts'

/** The state of a simulator that forgets everything when it ends. Otherwise it behaves as the file does. */
export function createMemoryStore(): Store {
  const world = new World()
  let isClosed = false
  return new KeptStore({
    world,
    async commit(step) {
      if (isClosed) throw new Error('The state is closed.')
      const { change, answer } = step(world)
      if (change !== undefined) world.apply(change)
      return answer
    },
    async close() {
      isClosed = true
    },
  })
}
