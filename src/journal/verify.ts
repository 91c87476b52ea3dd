import type { JournalEntry } from './entry.ts'
import type { Journal } from './journal.ts'
import { type Difference, differences, matches, type RequestQuery, type RequestSubjects } from './match.ts'
import { nextEntry } from './wait-for-entry.ts'

/** How often a request is to have come. */
export interface CountBounds {
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** A question with the count that is expected. */
export interface Verification extends RequestQuery {
  readonly count: CountBounds
  /** Milliseconds to wait for it to become true. */
  readonly withinMs: number
}

/** A request that was not meant, and how it differs. */
export interface NearMiss {
  readonly entry: JournalEntry
  readonly differences: readonly Difference[]
}

/** What a verification found. */
export interface Verdict {
  readonly satisfied: boolean
  readonly count: number
  /** True: the journal has dropped requests of the sandbox, or bodies that would tell, so that there may have been more. */
  readonly truncated: boolean
  /** True: there were no more than expected among those that are kept, but there may have been. */
  readonly unproved: boolean
  /** The latest ones that are meant. */
  readonly matched: readonly JournalEntry[]
  /** Where it is not satisfied: those that come closest, the closest first. */
  readonly nearMisses: readonly NearMiss[]
}

const mostShown = 10
const mostMisses = 3
/** Among how many of the latest the nearest misses are looked for. */
const mostSearched = 1000

/** Which requests of the journal are meant, counted as they come. */
export class Counting {
  readonly #journal: Journal
  readonly #sandbox: string | undefined
  readonly #question: RequestQuery
  readonly #subject: RequestSubjects
  #upTo = 0
  #generation = 0
  #count = 0
  /** Those that may have been meant. */
  #open = 0
  #matched: JournalEntry[] = []

  constructor(
    journal: Journal,
    sandbox: string | undefined,
    question: RequestQuery,
    subject: RequestSubjects,
  ) {
    this.#journal = journal
    this.#sandbox = sandbox
    this.#question = question
    this.#subject = subject
  }

  /**
   * Looks at what was recorded since the last look; begins anew where entries were cleared. What was counted once stays counted
   * although the journal drops it meanwhile.
   */
  look(): { count: number; truncated: boolean; matched: readonly JournalEntry[] } {
    const tally = this.#journal.counts(this.#sandbox)
    if (tally.generation !== this.#generation) {
      this.#upTo = 0
      this.#count = 0
      this.#open = 0
      this.#matched = []
    }
    this.#generation = tally.generation
    for (const entry of this.#journal.entries({ sandbox: this.#sandbox, after: this.#upTo })) {
      const answer = matches(entry, this.#question, this.#subject)
      if (answer === 'open') this.#open += 1
      if (answer !== 'yes') continue
      this.#count += 1
      this.#matched = [...this.#matched, entry].slice(-mostShown)
    }
    this.#upTo = this.#journal.recorded
    return { count: this.#count, truncated: tally.dropped > 0 || this.#open > 0, matched: this.#matched }
  }

  /** Those of the latest requests that come closest to what is meant. */
  nearMisses(): NearMiss[] {
    const misses: NearMiss[] = []
    let searched = 0
    for (const entry of this.#journal.entries({ sandbox: this.#sandbox, first: 'newest' })) {
      if (++searched > mostSearched) break
      const found = [...differences(entry, this.#question, this.#subject)]
      if (found.length > 0) misses.push({ entry, differences: found })
    }
    return misses.sort((a, b) => distance(a) - distance(b)).slice(0, mostMisses)
  }
}

/** Another operation is further away than another value. */
function distance({ differences }: NearMiss): number {
  return differences.reduce((sum, { field }) => sum + (field === 'operation' ? 5 : 1), 0)
}

/**
 * Whether the count is as expected. A lower bound is met as soon as it is reached. An upper bound (`atMost`, `exactly`) is broken as
 * soon as it is passed, and kept only once the time is up: until then one more may come. Where something was dropped it cannot be
 * proved, however long one waits.
 */
export async function verify(
  journal: Journal,
  sandbox: string | undefined,
  { count: expected, withinMs, ...question }: Verification,
  subject: RequestSubjects,
  elapsed: () => number,
  ends: readonly AbortSignal[],
): Promise<Verdict> {
  const counting = new Counting(journal, sandbox, question, subject)
  const { least, most } = boundsOf(expected)
  for (;;) {
    const left = withinMs - elapsed()
    const seen = counting.look()
    const isBounded = most !== Number.POSITIVE_INFINITY
    const isOpen = seen.count < least || (seen.count <= most && isBounded && !seen.truncated)
    const isOver = left <= 0 || !isOpen || (await nextEntry(journal, left, ends)) === 'end'
    if (!isOver) continue
    const unproved = isBounded && seen.truncated && seen.count <= most
    const satisfied = seen.count >= least && seen.count <= most && !unproved
    return { satisfied, ...seen, unproved, nearMisses: satisfied ? [] : counting.nearMisses() }
  }
}

function boundsOf({ exactly, atLeast, atMost }: CountBounds): { least: number; most: number } {
  if (exactly !== undefined) return { least: exactly, most: exactly }
  const least = atLeast ?? (atMost === undefined ? 1 : 0)
  return { least, most: atMost ?? Number.POSITIVE_INFINITY }
}
