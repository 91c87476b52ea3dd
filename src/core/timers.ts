import { setImmediate as immediate, setTimeout as timeout } from 'node:timers/promises'

/**
 * The timers and clocks as they were when this module was loaded. A test that replaces the global ones by fake timers must not stop the
 * simulator that runs in its process.
 */
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis

/** Resolves in the next turn of the event loop, after the input that waits. */
export const nextTurn = immediate

/** Resolves after some milliseconds. */
export const sleep = timeout

/** Returns the machine's time, epoch milliseconds. */
export const machineNow = Date.now

/** Returns the milliseconds since the start of the process, with fractions; they never go back. */
export const monotonicNow = performance.now.bind(performance)
