import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Observation, ObservedResponse } from '../observe/observation.ts'

/** The most values of a place whose types are learned. */
const maxValues = 100

/** The most responses of a difference on which a new name of a field is tried. */
const maxSamples = 20

/** The most different differences that are told apart, so that a hostile recording cannot fill the memory. */
const maxTallies = 250_000

/** The most places that are counted, for the same reason. */
const maxPlaces = 250_000

/** The number of new values from which a list of the contract seems to be open; fewer are differences of their own. */
const noListFrom = 3

/** Equal differences in the responses of an operation with one status. */
export interface Tally {
  readonly first: Observation
  /** The first responses that show the difference. */
  readonly samples: ObservedResponse[]
  seen: number
  /** A digest of the indexes of these responses: two differences with the same one are in the same responses. */
  digest: number
  /** The index of the last response that shows it. */
  last: number
  readonly values: Json[]
}

export class TallyList {
  readonly #tallies = new Map<string, Tally>()
  #responses = 0
  /** True once there are more differences, which are not told apart any more. */
  isFull = false

  /** Adds all differences of one response. A new value of a list is counted for itself, and as one of the list. */
  add(response: ObservedResponse, observations: readonly Observation[]): void {
    for (const one of observations) {
      this.#count(one, response)
      if (isNewListValue(one)) this.#count({ ...one, kind: 'no-enum', detail: '' }, response)
    }
    this.#responses += 1
  }

  #count(first: Observation, response: ObservedResponse): void {
    const key = JSON.stringify([first.kind, first.pointer, first.detail, first.isSimulated])
    const known = this.#tallies.get(key)
    if (!known && this.#tallies.size >= maxTallies) {
      this.isFull = true
      return
    }
    const tally = known ?? { first, samples: [], values: [], seen: 0, digest: 0, last: -1 }
    this.#tallies.set(key, tally)
    if (first.value !== undefined && tally.values.length < maxValues) tally.values.push(first.value)
    const index = this.#responses
    if (tally.last === index) return
    tally.last = index
    tally.seen += 1
    tally.digest = Math.imul(tally.digest ^ index, 0x9e3779b1) // odd, so that no index is lost
    if (tally.samples.length < maxSamples) tally.samples.push(response)
  }

  /** Returns the differences; new values of a list are one if they are so many that the list seems to be open. */
  list(): Tally[] {
    const all = [...this.#tallies.values()]
    const newValues = groupBy(
      all.filter(({ first }) => isNewListValue(first)),
      ({ first }) => nameList(first),
    )
    return all.flatMap((tally) => {
      const { first } = tally
      const count = newValues.get(nameList(first))?.length ?? 0
      const isOpen = count >= noListFrom
      if (first.kind !== 'no-enum') return isOpen && isNewListValue(first) ? [] : tally
      const message = `has ${count} values that the contract does not list`
      return isOpen ? { ...tally, first: { ...first, message } } : []
    })
  }
}

const isNewListValue = ({ kind, keyword }: Observation) => kind === 'enum-value' && keyword === 'enum'

const nameList = ({ pointer, isSimulated }: Observation) => `${pointer} ${isSimulated}`

/** Counts the bodies that have a place: a JSON pointer, with `*` for the items of an array. */
export class PlaceCounts {
  readonly #counts = new Map<string, { values: number; objects: number }>()

  add(body: Json): void {
    this.#addValues([body], '')
  }

  /** Adds all values of a body at a place, and those within them. */
  #addValues(values: readonly Json[], pointer: string): void {
    const counts = this.#counts.get(pointer) ?? { values: 0, objects: 0 }
    if (this.#counts.size < maxPlaces) this.#counts.set(pointer, counts)
    const objects = values.filter(isObject)
    counts.values += 1
    counts.objects += Number(objects.length > 0)
    const items = values.filter((value) => Array.isArray(value)).flat()
    if (items.length > 0) this.#addValues(items, `${pointer}/*`)
    const members = groupBy(objects.flatMap(Object.entries<Json>), ([name]) => name)
    for (const [name, named] of members)
      this.#addValues(
        named.map(([, value]) => value),
        joinPointer(pointer, name),
      )
  }

  /** Returns the number of bodies that have a value at a place, and the number of those that have an object there. */
  at(pointer: string): { readonly values: number; readonly objects: number } {
    return this.#counts.get(pointer) ?? { values: 0, objects: 0 }
  }
}
