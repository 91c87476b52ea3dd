import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { runWithTimeout } from '../../base/core/run-with-timeout.ts'
import type { Validator } from '../../base/documents/ajv.ts'

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
  const references = new Map<string, string[]>()
  const found = listReferences(document)
  for (const pointer of found) {
    if (references.has(pointer)) continue
    const inner = listReferences(valueAt(document, pointer))
    references.set(pointer, inner)
    for (const one of inner) found.push(one)
  }
  // Those that lead to no other are removed, the last first, until only circles are left. Recursion would take a stack.
  for (let before = -1; before !== references.size; ) {
    before = references.size
    for (const [pointer, inner] of [...references].reverse())
      if (!inner.some((one) => references.has(one))) references.delete(pointer)
  }
  return references.size > 0
}

/** Returns the pointers that a value, at all its levels, refers to. */
function listReferences(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return []
  const target = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
  const inner = Object.values(value).flatMap(listReferences)
  return target === undefined ? inner : [target, ...inner]
}
