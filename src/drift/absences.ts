import type { Json, JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { ObservedAnswer } from './answer.ts'
import type { Observation } from './observation.ts'
import { listHeaders } from './observe-head.ts'
import { findResponse } from './places.ts'
import { visitObjects } from './visit-objects.ts'

/** The fewest answers from which an absence is told: fewer may lack a field by chance. */
const minAbsenceAnswers = 5

/** Something that the contract allows and no answer has. */
export interface Absence {
  readonly observation: Observation
  /** The number of answers that could have it. */
  readonly of: number
}

/**
 * Finds the optional fields that no answer has although the simulator's answers to the same requests do, and the optional headers that no answer
 * has. `answers`: those of one operation with one status.
 */
export function findAbsences(document: JsonObject, answers: readonly ObservedAnswer[]): Absence[] {
  const [first] = answers
  if (!first || answers.length < minAbsenceAnswers) return []
  return [...findAbsentFields(first, answers), ...findAbsentHeaders(document, first, answers)]
}

function findAbsentFields(first: ObservedAnswer, answers: readonly ObservedAnswer[]): Absence[] {
  const schema = first.operation.responseSchema(first.status)
  if (!schema) return []
  const seen = new Map<string, FieldCount>()
  for (const { body } of answers) if (body !== undefined) countFields(body, schema, seen)
  const own = new Map<string, FieldCount>()
  for (const answer of answers) if (answer.own !== undefined) countFields(answer.own, schema, own)
  return [...seen].flatMap(([pointer, { owners, present }]) => {
    const isAbsent = present === 0 && owners >= minAbsenceAnswers && (own.get(pointer)?.present ?? 0) > 0
    const message = `is documented as optional, and the simulator sends it; it was in none of ${owners} answers`
    return isAbsent ? [{ observation: absence('absent-field', pointer, '', message), of: owners }] : []
  })
}

/** The number of answers with an object that may have a field, and of those in which the field is present. */
interface FieldCount {
  owners: number
  present: number
}

function countFields(body: Json, schema: JsonObject, counts: Map<string, FieldCount>): void {
  const inBody = new Map<string, boolean>()
  visitObjects(body, schema, ({ pointer, value, properties }) => {
    for (const [name, schemas] of properties) {
      if (schemas.some(({ deprecated }) => deprecated === true)) continue
      const place = joinPointer(pointer, name)
      inBody.set(place, inBody.get(place) === true || Object.hasOwn(value, name))
    }
  })
  for (const [place, isPresent] of inBody) {
    const count = counts.get(place) ?? { owners: 0, present: 0 }
    count.owners += 1
    count.present += Number(isPresent)
    counts.set(place, count)
  }
}

function findAbsentHeaders(
  document: JsonObject,
  { operation, status }: ObservedAnswer,
  answers: readonly ObservedAnswer[],
): Absence[] {
  const response = findResponse(document, operation, status)
  const optional = response ? listHeaders(document, response).filter(({ required }) => !required) : []
  return optional
    .filter(({ name }) => answers.every(({ headers }) => headers[name] === undefined))
    .map(({ name }) => {
      const message = `the header ${name} is documented; it was in none of ${answers.length} answers`
      return { observation: absence('header', '', name, message), of: answers.length }
    })
}

function absence(
  kind: 'absent-field' | 'header',
  pointer: string,
  detail: string,
  message: string,
): Observation {
  return { kind, pointer, detail, value: undefined, keyword: '', isSimulated: false, message }
}
