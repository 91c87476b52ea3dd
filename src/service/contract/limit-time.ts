import type { JsonObject } from '../../base/core/json.ts'
import { runWithTimeout } from '../../base/core/run-with-timeout.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { dereference } from './resolve.ts'
import { walk } from './walk.ts'

/** Milliseconds after which the check of a value is broken off. */
const maxCheckMs = 40

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
  keyword: 'timeout',
  instancePath: '',
  schemaPath: '',
  params: {},
  message:
    `cannot be checked: the patterns or recursive schemas of the contract take more than ${maxCheckMs} ms for it. ` +
    'Send shorter texts or fewer levels, or change these patterns and schemas',
}

/** Returns true for a document with patterns, or with schemas that refer to themselves, so that checks are timed. */
export function mayTakeLong(document: JsonObject): boolean {
  const expanded = dereference(document, document, 'document')
  return [...walk(expanded)].some(
    ({ kind, value }) =>
      typeof value.$ref === 'string' || (kind === 'schema' && ('pattern' in value || 'patternProperties' in value)),
  )
}
