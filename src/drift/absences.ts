import type { FittedJson } from '../core/fit-json.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { ObservedAnswer } from './answer.ts'
import type { Observation } from './observation.ts'
import type { DescribedResponse } from './observe-head.ts'
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
 * Looks for the optional fields that no answer has although the simulator's answers to the same requests do, and for
 * the optional headers that no
 * answer has, in the answers of one operation with one status.
 */
export class AbsenceSearch {
  readonly #schema: JsonObject
  /**
   * The number of answers with an object that may have a field, by the place of each field that none has had so far.
   */
  readonly #owners: Map<string, number>
  readonly #headers: Set<string>
  #answers = 0

  constructor(answers: readonly ObservedAnswer[], response: DescribedResponse | undefined) {
    const [first] = answers
    this.#schema = first?.operation.responseSchema(first.status) ?? {}
    this.#owners = new Map(this.#listOwnPlaces(answers).map((place) => [place, 0]))
    const optional = response?.headers.filter(({ required }) => !required) ?? []
    this.#headers = new Set(optional.map(({ name }) => name))
  }

  /** Returns the places of the fields that the simulator's answers have. */
  #listOwnPlaces(answers: readonly ObservedAnswer[]): string[] {
    const places = new Set<string>()
    for (const { own } of answers) {
      if (own === undefined) continue
      this.#visitFields(own, (place, isPresent) => isPresent && places.add(place))
    }
    return [...places]
  }

  /** Takes note of one answer. */
  add({ headers }: ObservedAnswer, body: FittedJson | undefined): void {
    this.#answers += 1
    for (const name of this.#headers) if (headers[name] !== undefined) this.#headers.delete(name)
    if (!body || this.#owners.size === 0) return
    const owned = new Set<string>()
    const present = new Set<string>()
    this.#visitFields(
      body.value,
      (place, isPresent) => (isPresent ? present : owned).add(place),
      (object) => body.cut.has(object),
    )
    for (const place of present) this.#owners.delete(place)
    for (const place of owned) {
      const count = this.#owners.get(place)
      if (count !== undefined) this.#owners.set(place, count + 1)
    }
  }

  #visitFields(
    body: Json,
    visit: (place: string, isPresent: boolean) => void,
    isLeftOut: (object: JsonObject) => boolean = () => false,
  ): void {
    visitObjects(body, this.#schema, ({ pointer, value, properties }) => {
      if (isLeftOut(value)) return
      for (const [name, schemas] of properties) {
        if (schemas.some(({ deprecated }) => deprecated === true)) continue
        visit(joinPointer(pointer, name), Object.hasOwn(value, name))
      }
    })
  }

  /** Returns what is absent; fewer than five answers tell nothing. */
  list(): Absence[] {
    if (this.#answers < minAbsenceAnswers) return []
    const fields = [...this.#owners].filter(([, owners]) => owners >= minAbsenceAnswers)
    return [
      ...fields.map(([pointer, owners]) => {
        const message = `is documented as optional, and the simulator sends it; it was in none of ${owners} answers`
        return { observation: absence('absent-field', pointer, '', message), of: owners }
      }),
      ...[...this.#headers].map((name) => {
        const message = `the header ${name} is documented; it was in none of ${this.#answers} answers`
        return { observation: absence('header', '', name, message), of: this.#answers }
      }),
    ]
  }
}

function absence(
  kind: 'absent-field' | 'header',
  pointer: string,
  detail: string,
  message: string,
): Observation {
  return { kind, pointer, detail, value: undefined, keyword: '', isSimulated: false, message }
}
