import { runInNewContext } from 'node:vm'
import { isObject } from '../core/json.ts'

/**
 * What the work gives, or undefined where it takes longer than so many milliseconds. It is broken off wherever it is, within a
 * regular expression, too: it must change nothing that lasts.
 */
export function runWithTimeout<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  let value: { value: T } | undefined
  const run = () => {
    value = { value: work() }
  }
  try {
    runInNewContext('run()', { run }, { timeout: ms })
  } catch (error) {
    // Of another context's Error: `instanceof` does not know it.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
  return value
}
