import { performance } from 'node:perf_hooks'
import { nextTick as tick } from 'node:process'
import { setImmediate as immediate, setTimeout as timeout } from 'node:timers/promises'

const current = {
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
 * The key of the timers that all copies of this module in a process share. The library and the bundle that it loads
 * each contain a copy. The copy that runs first stores its timers; copies from other versions add any missing ones.
 */
const timersKey = Symbol.for('conversation-analytics-simulator: timers')
const holder = globalThis as { [timersKey]?: typeof current }
holder[timersKey] = { ...current, ...holder[timersKey] }

/**
 * The timers and clocks that were saved when the library was loaded, so that a test's fake timers do not stop a
 * simulator in the same process. `nextTurn` resolves when the event loop next runs immediates. `machineNow` is in epoch
 * milliseconds; `monotonicNow` is in milliseconds since `timeOrigin`, the start of the process.
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
} = holder[timersKey]

/** True while promise callbacks run at the end of a turn. */
let isEnding = false

/**
 * Resolves at the end of this turn of the event loop, when all pending input has been read. The turn's responses are
 * then sent together, which wakes the client only once. Calls at the end of a turn resolve in the same turn.
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
  // In a microtask, since a tick scheduled here would run before promise callbacks.
  void Promise.resolve().then(() => nextTick(stopEnding))
}

function stopEnding(): void {
  isEnding = false
}
