import type { Json, JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { createObservation, type Observation } from '../observe/observation.ts'
import type { DocumentedHeader } from '../observe/observe-head.ts'
import type { ObservedResponse } from '../observe/response.ts'
import { visitObjects } from '../observe/visit-objects.ts'

/** The fewest responses from which an absence is told: fewer may lack a field by chance. */
const minAbsenceResponses = 5

/** Something that the contract allows and no response has. `of`: the number of responses that could have it. */
interface Absence {
  readonly observation: Observation
  readonly of: number
}

/**
 * Looks for optional headers that no response has, and for optional fields that only the simulator's responses have.
 */
export class AbsenceSearch {
  readonly #responses: readonly ObservedResponse[]
  readonly #schema: JsonObject
  /** The number of responses that lack a field in an object that may have it, by the place of each absent field. */
  readonly #lacking = new Map<string, number>()

  constructor(responses: readonly ObservedResponse[]) {
    const [first] = responses
    this.#responses = responses
    this.#schema = first?.operation.responseSchema(first.status) ?? {}
    for (const { own } of responses)
      for (const place of own === undefined ? [] : this.#listFields(own).present) this.#lacking.set(place, 0)
  }

  add(body: Json): void {
    if (this.#lacking.size === 0) return
    const { present, absent } = this.#listFields(body)
    for (const place of present) this.#lacking.delete(place)
    for (const place of absent) {
      const count = this.#lacking.get(place)
      if (count !== undefined) this.#lacking.set(place, count + 1)
    }
  }

  /** Lists the places of documented fields that objects of a body have or lack. */
  #listFields(body: Json) {
    const present = new Set<string>()
    const absent = new Set<string>()
    visitObjects(body, this.#schema, (pointer, object, properties) => {
      for (const [name, schemas] of properties)
        if (!schemas.some(({ deprecated }) => deprecated === true))
          (Object.hasOwn(object, name) ? present : absent).add(joinPointer(pointer, name))
    })
    return { present, absent }
  }

  /** Returns what is absent; fewer than five responses tell nothing. */
  list(documented: readonly DocumentedHeader[] = []): Absence[] {
    const fields = [...this.#lacking].map(([pointer, of]) => {
      const message = `is documented as optional, and the simulator sends it; it was in none of ${of} responses`
      return { observation: createObservation('absent-field', pointer, message), of }
    })
    const of = this.#responses.length
    const optional = new Set(documented.filter(({ required }) => !required).map(({ name }) => name))
    const absent = [...optional].filter((name) => this.#responses.every(({ headers }) => headers[name] === undefined))
    const headers = absent.map((name) => {
      const message = `the header ${name} is documented; it was in none of ${of} responses`
      return { observation: createObservation('header', '', message, { detail: name }), of }
    })
    return [...fields, ...headers].filter((one) => one.of >= minAbsenceResponses)
  }
}
