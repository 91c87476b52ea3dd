import type { Json, JsonObject } from '../../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../../../base/core/json-pointer.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import { checkInParts, type PlacedViolation } from './check-in-parts.ts'
import { createObservation, type DriftKind, type Observation } from './observation.ts'
import type { ObservedResponse } from './response.ts'
import { visitObjects } from './visit-objects.ts'

/** The differences of a body, and how far it was compared. */
export interface ObservedBody {
  readonly observations: readonly Observation[]
  /** The places of broken rules whose value the recording redacts, or whose pointer is cut. */
  readonly unreadable: readonly string[]
  /** Is false if a check stopped at its bound, so that there may be other differences. */
  readonly isComplete: boolean
}

/**
 * Compares the body of a response with the schema of its status, and with the narrower rules of simulated responses.
 */
export function observeBody({ operation, status }: ObservedResponse, body: Json): ObservedBody {
  if (operation.responseDescription(status) === undefined) return { observations: [], unreadable: [], isComplete: true }
  const wide = checkInParts(body, (part) => operation.checkResponse(status, part))
  const narrow = checkInParts(body, (part) => operation.checkSimulatedResponse(status, part))
  const own = wide.broken.flatMap((one) => toObservation(one, false))
  const simulated = narrow.broken.flatMap((one) => toObservation(one, true))
  const added = observeNewFields(body, operation.responseSchema(status) ?? {})
  const named = own.filter(({ kind }) => kind === 'new-field')
  const unreadable = [...wide.broken, ...narrow.broken].filter(isUnreadable)
  return {
    observations: [...dropConsequences([...own, ...dropKnown(simulated, own)]), ...dropKnown(added, named)],
    unreadable: [...new Set(unreadable.map(({ violation, part }) => replaceListIndexes(part, violation.pointer)))],
    isComplete: wide.isComplete && narrow.isComplete,
  }
}

/** Returns the observations at whose places there are no others. */
function dropKnown(observations: readonly Observation[], others: readonly Observation[]): Observation[] {
  const places = new Set(others.map(({ pointer }) => pointer))
  return observations.filter(({ pointer }) => !places.has(pointer))
}

/** Returns true where a recording shows no credentials, or where a very long pointer is cut. */
function isUnreadable({ violation: { pointer }, part }: PlacedViolation): boolean {
  if (pointer.endsWith('…')) return true
  const value = valueAt(part, pointer)
  return typeof value === 'string' && value.includes(redacted)
}

function toObservation(rule: PlacedViolation, isSimulated: boolean): Observation[] {
  if (isUnreadable(rule)) return []
  const { violation, part } = rule
  const { pointer, keyword, message } = violation
  const value = valueAt(part, pointer)
  const kind = driftKindOf(keyword, value)
  const detail = kind === 'enum-value' ? JSON.stringify(value) : kind === 'constraint' ? keyword : ''
  return [{ kind, pointer: replaceListIndexes(part, pointer), detail, value, keyword, isSimulated, message }]
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
  let value: Json | undefined = body
  let stars = ''
  for (const token of parsePointer(pointer)) {
    stars = joinPointer(stars, Array.isArray(value) ? '*' : token)
    value = valueAt(value, joinPointer('', token))
  }
  return stars
}

function observeNewFields(body: Json, schema: JsonObject): Observation[] {
  const found: Observation[] = []
  visitObjects(body, schema, (pointer, object, properties) => {
    for (const [name, value] of Object.entries(object))
      if (!properties.has(name))
        found.push(createObservation('new-field', joinPointer(pointer, name), 'is not in the contract', { value }))
  })
  return found
}
