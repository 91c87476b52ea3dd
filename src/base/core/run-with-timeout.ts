import { cpuUsage } from 'node:process'
import { createContext, Script } from 'node:vm'
import { isObject } from './json.ts'
import { once } from './memoize.ts'

/** The one context, since a new one takes a millisecond, and the script that calls its member `run`. */
const prepare = once(() => {
  const global: { run?: (() => void) | undefined } = {}
  return { global, context: createContext(global), script: new Script('run()') }
})

/**
 * Runs `work` and returns its value, or undefined if it takes longer than `ms` milliseconds. The interruption can come
 * anywhere, also within a regular expression, and `work` runs again if other processes had the processor for more than
 * half of the time: it must have no lasting effect. It takes 0.1 ms itself.
 */
export function runWithTimeout<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  const before = cpuUsage()
  for (;;) {
    const result = runOnce(ms, work)
    const { user, system } = cpuUsage(before)
    // Half, since the clock of the limit is not that of the processor, and another run makes a stall of twice the time.
    if (result || user + system >= (ms * 1000) / 2) return result
  }
}

function runOnce<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  const { global, context, script } = prepare()
  let result: { value: T } | undefined
  global.run = () => {
    result = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: ms })
  } catch (error) {
    // The error comes from another context, where `instanceof Error` is false.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    global.run = undefined
  }
  return result
}
