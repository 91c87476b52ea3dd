import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { parseReference, valueAt } from '../core/json-pointer.ts'
import { runWithTimeout } from '../core/run-with-timeout.ts'
import type { Validator } from '../documents/ajv.ts'

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

/** Returns true for a document with a schema that refers to itself, so that a check may take any time. */
export function hasRecursiveSchema(document: JsonObject): boolean {
  const isDone = new Map<string, boolean>()
  const leadsBack = (pointer: string): boolean => {
    const known = isDone.get(pointer)
    if (known !== undefined) return !known
    isDone.set(pointer, false)
    const isRecursive = listReferences(valueAt(document, pointer)).some(leadsBack)
    isDone.set(pointer, true)
    return isRecursive
  }
  return listReferences(document).some(leadsBack)
}

/** Returns the pointers that a value, at all its levels, refers to. */
function listReferences(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return []
  const target = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
  const inner = Object.values(value).flatMap(listReferences)
  return target === undefined ? inner : [target, ...inner]
}
