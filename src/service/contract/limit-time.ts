import { isObject, type JsonObject } from '../../base/core/json.ts'
import { parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { runWithTimeout } from '../../base/core/run-with-timeout.ts'
import type { Validator } from '../../base/documents/ajv.ts'
import { walk } from './walk.ts'

/** The keyword of the error of a check that is broken off. */
export const TIMEOUT = 'timeout'

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
  keyword: TIMEOUT,
  instancePath: '',
  schemaPath: '',
  params: {},
  message:
    `cannot be checked: the patterns or recursive schemas of the contract take more than ${maxCheckMs} ms for it. ` +
    'Send shorter texts or fewer levels, or change these patterns and schemas',
}

/** The most schemas, those behind a reference counted each time, with which a check takes less than its limit. */
const MAX_SCHEMAS = 20_000

/** The most references from one to the next that are followed. */
const MAX_REFERENCES = 200

/** Returns a function that says if a schema has patterns, is recursive, or applies very many schemas. */
export function createTimeEstimate(document: JsonObject): (schema: JsonObject) => boolean {
  const counts = new Map<string, number>()
  const countAt = (pointer: string, depth: number): number => {
    const schema = valueAt(document, pointer)
    if (!counts.has(pointer) && isObject(schema)) {
      counts.set(pointer, Number.POSITIVE_INFINITY) // until it is counted: a recursive schema has no end
      counts.set(pointer, countIn(schema, depth + 1))
    }
    return counts.get(pointer) ?? 1
  }
  const countIn = (schema: JsonObject, depth: number): number => {
    if (depth > MAX_REFERENCES) return Number.POSITIVE_INFINITY
    let count = 0
    for (const { value } of walk(schema, 'schema')) {
      if ('pattern' in value || 'patternProperties' in value) return Number.POSITIVE_INFINITY
      const target = parseReference(String(value.$ref).replace(/^[^#]+/, ''))
      count += target === undefined ? 1 : countAt(target, depth)
    }
    return count
  }
  return (schema) => countIn(schema, 0) > MAX_SCHEMAS
}
