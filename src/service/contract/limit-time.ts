import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
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

/** The parts of a pattern that repeat and choose nothing: escapes but back references, classes, openings of groups. */
const fixedParts = /\\[^1-9k]|\[(?:\\.|[^\]\\])*\]?|(?<=\()\?(?::|<\w+>)/gs

/** A quantifier that allows several numbers of repetitions, or an alternative. */
const choices = /[*+?|]|\{\d+,|\\/g

/** Returns true for a document with a pattern that may take more than linear time, so that checks are timed. */
export function hasCostlyPattern(document: JsonObject): boolean {
  return [...walk(document)].some(({ kind, value: { pattern, patternProperties } }) => {
    if (kind !== 'schema') return false
    return [pattern, ...Object.keys(isObject(patternProperties) ? patternProperties : {})].some(mayBeCostly)
  })
}

function mayBeCostly(pattern: Json | undefined): boolean {
  if (typeof pattern !== 'string') return false
  const bare = pattern.replace(fixedParts, '')
  const count = bare.match(choices)?.length ?? 0
  return count > (bare.startsWith('^') ? 1 : 0)
}

/** Returns true for a document with a schema that refers to itself, or whose expansion is too large to tell. */
export function hasRecursiveSchema(document: JsonObject): boolean {
  const expanded = dereference(document, document, 'document')
  return [...walk(expanded)].some(({ value }) => typeof value.$ref === 'string')
}
