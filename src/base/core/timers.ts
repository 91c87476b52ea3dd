import { performance } from 'node:perf_hooks'
import { nextTick as tick } from 'node:process'
import { setImmediate as immediate, setTimeout as timeout } from 'node:timers/promises'

const present = {
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  nextTick: tick,
  nextTurn: immediate,
  sleep: timeout,
  machineNow: Date.now,
  monotonicNow: performance.now.bind(performance),
  timeOrigin: performance.timeOrigin,
}

/**
 * The place of the first timers seen: the library and the bundle that it loads have a copy of this module each. Another
 * version of the package in the same process may have stored fewer of them.
 */
const first = Symbol.for('conversation-analytics-simulator: timers')
const holder = globalThis as { [first]?: typeof present }
holder[first] = { ...present, ...holder[first] }

/**
 * The timers and clocks as they were when the library was loaded, so that a test's fake timers do not stop a simulator
 * in its process. `nextTick` calls a function at the end of the present callback; `nextTurn` resolves in the next turn
 * of the event loop, after the input that waits; `sleep` after some milliseconds. `machineNow` is in epoch
 * milliseconds; `monotonicNow` in milliseconds since the start of the process, with fractions, and never goes back;
 * `timeOrigin` is its zero in epoch milliseconds.
 */
export const {
  clearTimeout,
  machineNow,
  monotonicNow,
  nextTick,
  nextTurn,
  setImmediate,
  setTimeout,
  sleep,
  timeOrigin,
} = holder[first]

/** Is true while promises that the end of the turn has settled are handled. */
let isEnding = false

/**
 * Resolves at the end of the turn of the event loop, once all input that waited was read. The changes of the turn are
 * written then, and its replies sent: one write, and one wake-up of the client, instead of many. What that leads to can
 * wait for the end of the same turn again.
 */
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
