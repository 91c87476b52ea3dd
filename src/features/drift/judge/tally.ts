import { groupBy } from '../../../base/core/group-by.ts'
import type { Json } from '../../../base/core/json.ts'
import type { Observation } from '../observe/observation.ts'
import type { ObservedResponse } from '../observe/response.ts'

/** The most values of a place whose types are learned. */
const maxValues = 100

/** The most responses of a difference on which a new name of a field is tried. */
const maxSamples = 20

/** The most different differences that are told apart, so that a hostile recording cannot fill the memory. */
const maxTallies = 250_000

/** Equal differences in the responses of an operation with one status. */
export interface Tally {
  readonly first: Observation
  readonly firstResponse: ObservedResponse
  /** The first responses that show the difference. */
  readonly samples: ObservedResponse[]
  /** The number of responses that show it. */
  seen: number
  /** A digest of the indexes of these responses: two differences with the same one are in the same responses. */
  digest: number
  /** The index of the last response that shows it. */
  last: number
  readonly values: Json[]
}

/** The number of new values from which a list of the contract seems to be open; fewer are differences of their own. */
const noListFrom = 3

/** Puts equal differences of responses together. */
export class TallyList {
  readonly #tallies = new Map<string, Tally>()
  #responses = 0
  /** Is true once there are more differences, which are not told apart any more. */
  isFull = false

  /** Adds all differences of one response. A new value of a list is counted for itself, and as one of the list. */
  add(response: ObservedResponse, observations: readonly Observation[]): void {
    for (const one of observations) {
      this.#count(one, response)
      if (isNewListValue(one)) this.#count({ ...one, kind: 'no-enum', detail: '' }, response)
    }
    this.#responses += 1
  }

  #count(one: Observation, response: ObservedResponse): void {
    const tally = this.#find(one, response)
    if (!tally) return
    if (one.value !== undefined && tally.values.length < maxValues) tally.values.push(one.value)
    const index = this.#responses
    if (tally.last === index) return
    tally.last = index
    tally.seen += 1
    tally.digest = Math.imul(tally.digest ^ index, 0x9e3779b1) // odd, so that no index is lost
    if (tally.samples.length < maxSamples) tally.samples.push(response)
  }

  #find(one: Observation, response: ObservedResponse): Tally | undefined {
    const key = JSON.stringify([one.kind, one.pointer, one.detail, one.isSimulated])
    const known = this.#tallies.get(key)
    if (known) return known
    if (this.#tallies.size >= maxTallies) {
      this.isFull = true
      return undefined
    }
    const tally = { first: one, firstResponse: response, samples: [], values: [], seen: 0, digest: 0, last: -1 }
    this.#tallies.set(key, tally)
    return tally
  }

  /** Returns the differences; new values of a list are one where they are so many that the list seems to be open. */
  list(): Tally[] {
    const all = [...this.#tallies.values()]
    const newValues = all.filter(({ first }) => isNewListValue(first))
    const byList = groupBy(newValues, ({ first }) => nameList(first))
    return all.flatMap((tally) => {
      const { first } = tally
      const count = byList.get(nameList(first))?.length ?? 0
      const isOpen = count >= noListFrom
      if (first.kind !== 'no-enum') return isOpen && isNewListValue(first) ? [] : [tally]
      const message = `has ${count} values that the contract does not list`
      return isOpen ? [{ ...tally, first: { ...first, message } }] : []
    })
  }
}

const isNewListValue = ({ kind, keyword }: Observation) => kind === 'enum-value' && keyword === 'enum'

const nameList = ({ pointer, isSimulated }: Observation) => `${pointer} ${isSimulated}`
