import { runInNewContext } from 'node:vm'
import { isObject } from '../core/json.ts'

/**
 * Runs `work` and returns its value; undefined where it takes longer than `ms` milliseconds. The interruption can come
 * anywhere, also within a regular expression: `work` must have no lasting effect.
 */
export function runWithTimeout<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  let result: { value: T } | undefined
  const run = () => {
    result = { value: work() }
  }
  try {
    runInNewContext('run()', { run }, { timeout: ms })
  } catch (error) {
    // The error comes from another context, where `instanceof Error` is false.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
  return result
}
