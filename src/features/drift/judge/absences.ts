import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { createObservation, type Observation, type ObservedResponse } from '../observe/observation.ts'
import { listObjects } from '../observe/observe-body.ts'
import type { DocumentedHeader } from '../observe/observe-head.ts'
import { parentOf } from '../observe/places.ts'
import type { PlaceCounts } from './tally.ts'

/** The fewest responses from which an absence is told: fewer may lack a field by chance. */
const minResponses = 5

/** Something that the contract allows and no response has. `of`: the number of responses that could have it. */
interface Absence {
  readonly observation: Observation
  readonly of: number
}

/** Finds the optional fields that the simulator's own responses have and those of the service do not. */
export function findAbsentFields(
  operation: Operation,
  status: number,
  responses: readonly ObservedResponse[],
  counts: PlaceCounts,
): Absence[] {
  const fields = new Set<string>()
  const own = responses.flatMap((response) => response.own ?? [])
  for (const { pointer, object, properties } of listObjects(own, [operation.responseSchema(status) ?? {}]))
    for (const [name, schemas] of properties)
      if (Object.hasOwn(object, name) && !schemas.some(({ deprecated }) => deprecated === true))
        fields.add(joinPointer(pointer, name))
  const absent = [...fields].filter((pointer) => counts.at(pointer).values === 0)
  const all = absent.map((pointer) => {
    const of = counts.at(parentOf(pointer)).objects
    const message = `is documented as optional, and the simulator sends it; it was in none of ${of} responses`
    return { observation: createObservation('absent-field', pointer, message), of }
  })
  return all.filter(({ of }) => of >= minResponses)
}

export function findAbsentHeaders(
  documented: readonly DocumentedHeader[],
  responses: readonly ObservedResponse[],
): Absence[] {
  const of = responses.length
  const optional = new Set(documented.filter(({ required }) => !required).map(({ name }) => name))
  const absent = [...optional].filter((name) => responses.every(({ headers }) => headers[name] === undefined))
  const all = absent.map((name) => {
    const message = `the header ${name} is documented; it was in none of ${of} responses`
    return { observation: createObservation('header', '', message, { detail: name }), of }
  })
  return of >= minResponses ? all : []
}
