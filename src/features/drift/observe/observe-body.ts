import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt, valueAtTokens } from '../../../base/core/json-pointer.ts'
import type { Violation } from '../../../base/core/violation.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { listSchemaParts, mergeProperties } from '../../../service/contract/schema-parts.ts'
import { createObservation, type DriftKind, type Observation } from './observation.ts'

export interface ObservedBody {
  readonly observations: readonly Observation[]
  /** The places of broken rules whose value the recording redacts, or whose pointer is cut. */
  readonly unreadable: readonly string[]
  /** Is false if a check stopped at its bound, so that there may be other differences. */
  readonly isComplete: boolean
}

export const nothingObserved: ObservedBody = { observations: [], unreadable: [], isComplete: true }

/** Compares a body with the schema of its status, and with the narrower rules of simulated responses. */
export function observeBody(operation: Operation, status: number, body: Json): ObservedBody {
  if (operation.responseDescription(status) === undefined) return nothingObserved
  const wide = observeRules(body, false, (part) => operation.checkResponse(status, part))
  const narrow = observeRules(body, true, (part) => operation.checkSimulatedResponse(status, part))
  const own = wide.observations
  const added = observeNewFields(body, operation.responseSchema(status) ?? {})
  const named = own.filter(({ kind }) => kind === 'new-field')
  return {
    observations: [...dropConsequences([...own, ...dropKnown(narrow.observations, own)]), ...dropKnown(added, named)],
    unreadable: [...new Set([...wide.unreadable, ...narrow.unreadable])],
    isComplete: wide.isComplete && narrow.isComplete,
  }
}

/** Returns the observations at whose places there are no others. */
function dropKnown(observations: readonly Observation[], others: readonly Observation[]): Observation[] {
  const places = new Set(others.map(({ pointer }) => pointer))
  return observations.filter(({ pointer }) => !places.has(pointer))
}

/** Observes the rules that a body breaks. `isSimulated`: they are those of simulated responses. */
function observeRules(body: Json, isSimulated: boolean, check: (part: Json) => Violation[]): ObservedBody {
  const { broken, isComplete } = checkInParts(body, check)
  const observations: Observation[] = []
  const unreadable: string[] = []
  for (const { violation, part } of broken) {
    const { pointer: at, keyword, message } = violation
    const value = valueAt(part, at)
    const pointer = replaceListIndexes(part, at)
    const kind = driftKindOf(keyword, value)
    const detail = kind === 'enum-value' ? JSON.stringify(value) : kind === 'constraint' ? keyword : ''
    // A recording shows no credentials, and a very long pointer is cut.
    const isUnreadable = at.endsWith('…') || (typeof value === 'string' && value.includes(redacted))
    if (isUnreadable) unreadable.push(pointer)
    else observations.push({ kind, pointer, detail, value, keyword, isSimulated, message })
  }
  return { observations, unreadable, isComplete }
}

/** The most parts of a body that are checked: each finds up to 100 broken rules. */
const maxParts = 500

/** The rules about the number of items, which a part of a list does not keep. */
const countKeywords = ['minItems', 'maxItems', 'uniqueItems', 'contains']

/** The keywords of violations that stand for the end of a check: after many errors, and after a time. */
const endKeywords = ['more', 'timeout']

/**
 * Checks a body. A check stops after 100 errors; then the longest list with errors is checked in two halves, all halves
 * before their own ones, to spread the parts over the list. Each broken rule has the part that its pointer leads into.
 */
function checkInParts(body: Json, check: (part: Json) => Violation[]) {
  const broken: { readonly violation: Violation; readonly part: Json }[] = []
  const parts = [body]
  let isComplete = true
  // Halves that are added meanwhile are checked, too.
  for (const [index, part] of parts.entries()) {
    if (index === maxParts) return { broken, isComplete: false }
    const violations = check(part)
    const ignored = index === 0 ? endKeywords : [...endKeywords, ...countKeywords]
    const own = violations.filter(({ keyword }) => !ignored.includes(keyword))
    broken.push(...own.map((violation) => ({ violation, part })))
    if (!violations.some(({ keyword }) => endKeywords.includes(keyword))) continue
    const halves = halveLongestList(part, own)
    if (halves.length === 0) isComplete = false
    parts.push(...halves)
  }
  return { broken, isComplete }
}

/** Returns a part of a body with each half of its longest list with errors; none without a list of two items. */
function halveLongestList(part: Json, violations: readonly Violation[]): Json[] {
  let longest: { readonly path: readonly string[]; readonly list: Json[] } | undefined
  for (const { pointer } of violations) {
    const tokens = parsePointer(pointer)
    for (const count of tokens.keys()) {
      const path = tokens.slice(0, count)
      const list = valueAtTokens(part, path)
      if (Array.isArray(list) && list.length > (longest?.list.length ?? 1)) longest = { path, list }
    }
  }
  if (!longest) return []
  const { path, list } = longest
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)].map((half) => replaceList(part, path, half))
}

function replaceList(value: Json, [token, ...rest]: readonly string[], list: Json[]): Json {
  if (token === undefined) return list
  const inner = replaceList(valueAtTokens(value, [token]) ?? null, rest, list)
  return Array.isArray(value) ? value.with(Number(token), inner) : { ...(value as JsonObject), [token]: inner }
}

/** The kinds of differences by the keyword that a value breaks; other keywords are constraints. */
const kinds: Readonly<Record<string, DriftKind>> = {
  required: 'missing-field',
  dependentRequired: 'missing-field',
  additionalProperties: 'new-field',
  unevaluatedProperties: 'new-field',
  type: 'wrong-type',
  anyOf: 'wrong-type',
  oneOf: 'wrong-type',
  enum: 'enum-value',
  const: 'enum-value',
  format: 'format',
}

function driftKindOf(keyword: string, value: Json | undefined): DriftKind {
  const kind = kinds[keyword] ?? 'constraint'
  if (kind !== 'wrong-type' && kind !== 'enum-value') return kind
  if (value === null) return 'null'
  return typeof value === 'object' ? 'wrong-type' : kind
}

/** Drops what follows from a wrong type at the same place: a number is in no list of strings either. */
function dropConsequences(observations: readonly Observation[]): Observation[] {
  const isConsequence = ({ kind }: Observation) => ['enum-value', 'format', 'constraint'].includes(kind)
  const wrong = observations.filter(({ kind }) => kind === 'null' || kind === 'wrong-type')
  const places = new Set(wrong.map(({ pointer }) => pointer))
  return observations.filter((one) => !isConsequence(one) || !places.has(one.pointer))
}

/** Returns a pointer with a star for each index of an array of the body. */
function replaceListIndexes(body: Json, pointer: string): string {
  const tokens = parsePointer(pointer)
  const isIndex = (at: number) => Array.isArray(valueAtTokens(body, tokens.slice(0, at)))
  return joinPointer('', ...tokens.map((token, at) => (isIndex(at) ? '*' : token)))
}

function observeNewFields(body: Json, schema: JsonObject): Observation[] {
  return [...listObjects([body], [schema])].flatMap(({ pointer, object, properties }) => {
    const added = Object.entries(object).filter(([name]) => !properties.has(name))
    return added.map(([name, value]) =>
      createObservation('new-field', joinPointer(pointer, name), 'is not in the contract', { value }),
    )
  })
}

/**
 * Yields each object within values that share a place, with the schemas of its documented properties by name, and
 * passes over objects whose names are data. `schemas`: those of the place, which all apply, without references.
 */
export function* listObjects(
  values: readonly Json[],
  schemas: readonly JsonObject[],
  pointer = '',
): Generator<{ pointer: string; object: JsonObject; properties: ReadonlyMap<string, readonly JsonObject[]> }> {
  const parts = schemas.flatMap(listSchemaParts)
  const items = values.filter((value) => Array.isArray(value)).flat()
  const itemSchemas = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []))
  if (items.length > 0 && itemSchemas.length > 0) yield* listObjects(items, itemSchemas, `${pointer}/*`)
  const objects = values.filter(isObject)
  const properties = mergeProperties(parts)
  if (properties.size === 0 || parts.some(hasFreeNames)) return
  for (const object of objects) yield { pointer, object, properties }
  for (const [name, inner] of properties) {
    const members = objects.flatMap((object) => (Object.hasOwn(object, name) ? [object[name] ?? null] : []))
    if (members.length > 0) yield* listObjects(members, inner, joinPointer(pointer, name))
  }
}

/** Returns true if the members beside the listed ones have a schema of their own: their names are data. */
function hasFreeNames({ patternProperties, additionalProperties }: JsonObject): boolean {
  const typing = ['type', '$ref', 'properties', 'anyOf', 'oneOf', 'allOf']
  const isTyped = isObject(additionalProperties) && typing.some((name) => name in additionalProperties)
  return isTyped || isObject(patternProperties)
}
