/**
 * The end of a turn of the event loop, once all input that waited was read. The changes of the turn are written here,
 * and then its replies are sent: one write, and one wake-up of the client, instead of many.
 */
import { nextTick, setImmediate } from './timers.ts'

/** Is true while promises that the end of the turn has settled are handled. */
let isEnding = false

/** Resolves at the end of the turn. What that leads to can wait for the end of the same turn again. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (isEnding) nextTick(resolve)
    else setImmediate(end, resolve)
  })
}

function end(resolve: () => void): void {
  isEnding = true
  resolve()
  // A microtask, since a tick that is asked for here would come before the promises.
  void Promise.resolve().then(() => nextTick(stopEnding))
}

function stopEnding(): void {
  isEnding = false
}
