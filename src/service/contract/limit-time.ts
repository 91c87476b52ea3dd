import type { JsonObject } from '../../base/core/json.ts'
import { parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { runWithTimeout } from '../../base/core/run-with-timeout.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { walk } from './walk.ts'

export const TIMEOUT = 'timeout'

const maxCheckMs = 100

/**
 * Bounds the time of a validator, since patterns and recursive schemas may take any. A check that is broken off is
 * tried once more, since the processor time of a garbage collection counts. Then the value is invalid.
 */
export function limitTime(validate: Validator): Validator {
  const limited: Validator = (value) => {
    const check = () => runWithTimeout(maxCheckMs, () => catchOverflow(() => validate(value)))
    const isValid = (check() ?? check())?.value
    limited.errors = isValid === undefined ? [{ ...brokenOff, data: value }] : (validate.errors ?? null)
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

/**
 * Returns true for a schema whose check can take long: with patterns, or with a schema that two references lead to, as
 * it can be recursive, or be applied a million times by 20 schemas that refer twice to the next.
 */
export function mayTakeLong(document: JsonObject, pointer: string): boolean {
  const passed = [pointer]
  // The loop also visits what it adds.
  for (const at of passed) {
    const schemas = Array.from(walk(valueAt(document, at), 'schema'), ({ value }) => value)
    if (schemas.some((schema) => 'pattern' in schema || 'patternProperties' in schema)) return true
    passed.push(...schemas.flatMap(({ $ref }) => parseReference(String($ref)) ?? []))
    if (new Set(passed).size < passed.length) return true
  }
  return false
}
