import { cpuUsage } from 'node:process'
import { createContext, Script } from 'node:vm'
import { isObject } from './json.ts'
import { once } from './memoize.ts'

/** A check that sets `errors` for a wrong value, as ajv's validators do. */
type Check<Fault> = ((value: unknown) => boolean) & { errors?: Fault[] | null }

/** The keyword of the error of a check that is broken off. */
export const TIMEOUT = 'timeout'

/** Milliseconds after which the check of a value is broken off. */
const maxCheckMs = 100

/**
 * Bounds the time of a validator, since patterns and recursive schemas may take any. A check that is broken off is
 * tried once more, since the processor time of a garbage collection counts. Then the value is invalid.
 */
export function limitTime<Fault>(validate: Check<Fault>): Check<Fault> {
  const limited: Check<Fault> = (value) => {
    const check = () => runWithTimeout(maxCheckMs, () => catchOverflow(() => validate(value)))
    const isValid = (check() ?? check())?.value
    limited.errors = isValid === undefined ? [{ ...brokenOff, data: value } as Fault] : (validate.errors ?? null)
    return isValid ?? false
  }
  return limited
}

/** Returns the result of a check, or undefined if a schema that applies itself to the same value fills the stack. */
function catchOverflow(check: () => boolean): boolean | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const brokenOff = {
  keyword: TIMEOUT,
  instancePath: '',
  schemaPath: '',
  params: {},
  message:
    `cannot be checked: the patterns or recursive schemas of the contract take more than ${maxCheckMs} ms for it. ` +
    'Send shorter texts or fewer levels, or change these patterns and schemas',
}

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
