import type { Json } from '../../core/json.ts'
import type { ObservedAnswer } from '../observe/answer.ts'
import type { Observation } from '../observe/observation.ts'

/** The most values of a place whose types are learned. */
const maxValues = 100

/** The most answers of a difference on which a new name of a field is tried. */
const maxSamples = 20

/** The most different differences that are told apart, so that a hostile recording cannot fill the memory. */
const maxTallies = 250_000

/** Equal differences in the answers of an operation with one status. */
export interface Tally {
  readonly first: Observation
  readonly firstAnswer: ObservedAnswer
  /** The first answers that show the difference. */
  readonly samples: readonly ObservedAnswer[]
  /** The number of answers that show it. */
  readonly seen: number
  /** A digest of the indexes of these answers: two differences with the same one are in the same answers. */
  readonly digest: number
  readonly values: readonly Json[]
}

interface OpenTally extends Tally {
  readonly samples: ObservedAnswer[]
  readonly values: Json[]
  seen: number
  digest: number
  /** The index of the last answer that shows the difference. */
  last: number
}

/** The answers whose values a list of the contract does not have. */
interface ListCount {
  readonly tallies: OpenTally[]
  seen: number
  last: number
}

/** The number of new values from which a list of the contract seems to be open; fewer are differences of their own. */
const noListFrom = 3

/** Puts equal differences of answers together. */
export class TallyList {
  readonly #tallies = new Map<string, OpenTally>()
  readonly #lists = new Map<string, ListCount>()
  #answers = 0
  /** Is true once there are more differences, which are not told apart any more. */
  isFull = false

  /** Adds all differences of one answer. */
  add(answer: ObservedAnswer, observations: readonly Observation[]): void {
    const index = this.#answers
    this.#answers += 1
    for (const one of observations) {
      const tally = this.#find(one, answer)
      if (!tally) continue
      if (one.value !== undefined && tally.values.length < maxValues) tally.values.push(one.value)
      if (tally.last === index) continue
      tally.last = index
      tally.seen += 1
      tally.digest = Math.imul(tally.digest ^ index, 0x9e3779b1) // odd, so that no index is lost
      if (tally.samples.length < maxSamples) tally.samples.push(answer)
      this.#countList(tally, index)
    }
  }

  #find(one: Observation, answer: ObservedAnswer): OpenTally | undefined {
    const key = JSON.stringify([one.kind, one.pointer, one.detail, one.isSimulated])
    const known = this.#tallies.get(key)
    if (known) return known
    if (this.#tallies.size === maxTallies) {
      this.isFull = true
      return undefined
    }
    const tally = { first: one, firstAnswer: answer, samples: [], values: [], seen: 0, digest: 0, last: -1 }
    this.#tallies.set(key, tally)
    return tally
  }

  #countList(tally: OpenTally, index: number): void {
    const { kind, pointer, isSimulated, keyword } = tally.first
    if (kind !== 'enum-value' || keyword !== 'enum') return
    const key = `${pointer} ${isSimulated}`
    const list = this.#lists.get(key) ?? { tallies: [], seen: 0, last: -1 }
    this.#lists.set(key, list)
    if (tally.seen === 1) list.tallies.push(tally)
    if (list.last !== index) list.seen += 1
    list.last = index
  }

  /** Returns the differences; new values of a list are one where they are so many that the list seems to be open. */
  list(): Tally[] {
    const open = [...this.#lists.values()].filter(({ tallies }) => tallies.length >= noListFrom)
    const merged = new Set<Tally>(open.flatMap(({ tallies }) => tallies))
    return [...[...this.#tallies.values()].filter((tally) => !merged.has(tally)), ...open.map(mergeList)]
  }
}

function mergeList({ tallies, seen }: ListCount): Tally {
  const [first] = tallies as [OpenTally] // a list is merged from three values on
  const message = `has ${tallies.length} values that the contract does not list`
  return {
    ...first,
    first: { ...first.first, kind: 'no-enum', detail: '', message },
    seen,
    values: tallies.flatMap(({ values }) => values).slice(0, maxValues),
  }
}
