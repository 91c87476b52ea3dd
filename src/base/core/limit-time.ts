import { cpuUsage } from 'node:process'
import { createContext, Script } from 'node:vm'
import { isObject } from './json.ts'
import { once } from './memoize.ts'

/** A check that sets `errors` for an invalid value, as ajv's validators do. */
type Check<E> = ((value: unknown) => boolean) & { errors?: E[] | null }

/** The keyword of the error for a check that takes too long or overflows the stack. */
export const TIMEOUT = 'timeout'

const maxCheckMs = 100

/**
 * Limits how long a validator runs, since patterns and recursive schemas can be very slow. An aborted check is retried
 * once, since garbage collection counts toward the limit. A second abort or a stack overflow makes the value invalid.
 */
export function limitTime<E>(validate: Check<E>): Check<E> {
  const limited: Check<E> = (value) => {
    const check = () => runWithTimeout(maxCheckMs, () => catchOverflow(() => validate(value)))
    const isValid = (check() ?? check())?.value
    limited.errors = isValid === undefined ? [{ ...timeoutError, data: value } as E] : (validate.errors ?? null)
    return isValid ?? false
  }
  return limited
}

/** Returns the result of a check, or undefined if a schema that recurses on the same value overflows the stack. */
function catchOverflow(check: () => boolean): boolean | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const timeoutError = {
  keyword: TIMEOUT,
  instancePath: '',
  schemaPath: '',
  params: {},
  message:
    `cannot be checked: the contract's patterns or recursive schemas take more than ${maxCheckMs} ms or overflow ` +
    'the stack. Send shorter strings or less deeply nested values, or change these patterns and schemas',
}

/** Creates a context, and a script that calls `run` in it. Both are reused, since creating a context takes 1 ms. */
const prepare = once(() => {
  const global: { run?: (() => void) | undefined } = {}
  return { global, context: createContext(global), script: new Script('run()') }
})

/**
 * Runs `work` and returns its value, or undefined if `work` takes longer than `ms` milliseconds. `work` must have no
 * side effects: it can be interrupted anywhere, even within a regular expression. After a timeout, it runs again if
 * this process has used less than half of the limit in CPU time since the call. The overhead is 0.1 ms.
 */
export function runWithTimeout<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  const before = cpuUsage()
  for (;;) {
    const result = runOnce(ms, work)
    const { user, system } = cpuUsage(before)
    // Gives up once the CPU time reaches half of the limit, since another run would double the delay.
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
    // The error comes from another context, so `instanceof Error` is false.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    global.run = undefined
  }
  return result
}
