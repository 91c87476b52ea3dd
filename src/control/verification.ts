import { visitInSlices } from '../core/slices.ts'
import {
  type Condition,
  type Difference,
  findDifferences,
  type MatchSubject,
  matchOutcome,
  type RequestQuery,
  requestConditions,
} from '../exchange/match.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import { type RequestSubjects, toMatchSubject } from '../journal/match.ts'
import { waitForEntry } from '../journal/wait-for-entry.ts'

/** The expected number of matching requests; `{}` stands for at least one. */
export interface CountBounds {
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Verification extends RequestQuery {
  readonly count: CountBounds
  /** The most milliseconds to wait until the count is as expected; 0 for none. */
  readonly withinMs: number
}

/** A request that does not match, with its differences from the query, at most 100 of them. */
export interface NearMiss {
  readonly entry: JournalEntry
  readonly differences: readonly Difference[]
}

export interface Verdict {
  readonly satisfied: boolean
  readonly count: number
  /** Is true if the journal dropped requests, or bodies that the query needs, so that more may have matched. */
  readonly truncated: boolean
  /** True where no more stored requests match than expected, but dropped ones may have matched. */
  readonly unproved: boolean
  /** The latest matching requests, at most 10. */
  readonly matched: readonly JournalEntry[]
  /** The requests with the fewest differences, the nearest first, at most 3; empty where `satisfied`. */
  readonly nearMisses: readonly NearMiss[]
}

const maxMatchedShown = 10
const maxNearMisses = 3
/** The number of latest requests among which near misses are searched. */
const maxSearched = 1000
/** The number of differences after which no more are looked for: a query can have 100,000 conditions. */
const maxDifferences = 100

interface MatchCount extends Pick<Verdict, 'count' | 'truncated' | 'matched'> {
  /** The version of the journal that was counted. */
  readonly version: number
}

/** Counts the requests of the journal that match a query, incrementally. */
export class MatchCounter {
  readonly #journal: Journal
  readonly #sandbox: string | undefined
  readonly #conditions: readonly Condition<MatchSubject>[]
  readonly #subjects: RequestSubjects
  readonly #elapsed: () => number
  #upTo = 0
  #generation = 0
  #count = 0
  /** The number of requests that may match: the part that decides is not stored. */
  #open = 0
  #matched: JournalEntry[] = []

  /** `sandbox` is undefined for all; `elapsed` has milliseconds since any fixed time and slices the work. */
  constructor(
    journal: Journal,
    sandbox: string | undefined,
    query: RequestQuery,
    subjects: RequestSubjects,
    elapsed: () => number,
  ) {
    this.#journal = journal
    this.#sandbox = sandbox
    this.#conditions = requestConditions(query)
    this.#subjects = subjects
    this.#elapsed = elapsed
  }

  /**
   * Counts the entries that were recorded since the last call, and returns the totals with the journal's version, or
   * undefined if the comparison takes too long. A counted entry stays counted when the journal evicts it; the count
   * begins again at 0 when entries of the sandbox are cleared.
   */
  async update(): Promise<MatchCount | undefined> {
    const { entries, counts, latest, version } = await this.#journal.list({
      sandbox: this.#sandbox,
      after: this.#upTo,
    })
    if (this.#upTo > 0 && counts.generation !== this.#generation) {
      this.#upTo = 0
      this.#count = 0
      this.#open = 0
      this.#matched = []
      return this.update()
    }
    this.#upTo = latest
    this.#generation = counts.generation
    if (!(await visitInSlices(entries, this.#elapsed, (entry) => this.#add(entry)))) return undefined
    const truncated = counts.dropped > 0 || this.#open > 0
    return { count: this.#count, truncated, matched: this.#matched, version }
  }

  #add(entry: JournalEntry): void {
    const outcome = matchOutcome(this.#conditions, toMatchSubject(entry, this.#subjects))
    if (outcome === 'open') this.#open += 1
    if (outcome !== 'yes') return
    this.#count += 1
    this.#matched = [...this.#matched, entry].slice(-maxMatchedShown)
  }

  /** Returns the latest requests that differ least from the query, the nearest first; fewer if that takes too long. */
  async nearMisses(): Promise<NearMiss[]> {
    const { entries } = await this.#journal.list({
      sandbox: this.#sandbox,
      order: 'newest',
      limit: maxSearched,
    })
    let nearest: NearMiss[] = []
    await visitInSlices(entries, this.#elapsed, (entry) => {
      const differences = this.#differencesOf(entry)
      if (differences.length === 0) return
      nearest = [...nearest, { entry, differences }].sort((a, b) => distance(a) - distance(b)).slice(0, maxNearMisses)
    })
    return nearest
  }

  #differencesOf(entry: JournalEntry): Difference[] {
    const differences: Difference[] = []
    for (const difference of findDifferences(this.#conditions, toMatchSubject(entry, this.#subjects)))
      if (differences.push(difference) === maxDifferences) break
    return differences
  }
}

/** Returns the number of differences; another operation counts as five. */
function distance({ differences }: NearMiss): number {
  return differences.reduce((sum, { field }) => sum + (field === 'operation' ? 5 : 1), 0)
}

/**
 * Compares the number of matching requests with the expected one, and waits up to `withinMs` for it. A lower bound
 * holds as soon as it is reached. An upper bound (`atMost`, `exactly`) fails when exceeded, and holds when the time is
 * over, unless the journal dropped requests. Returns undefined if the comparison takes too long.
 *
 * `sandbox` is undefined for all; `elapsed` has the milliseconds of the verification; `ends` has signals that end the
 * wait.
 */
export async function verify(
  journal: Journal,
  sandbox: string | undefined,
  { count: expected, withinMs, ...query }: Verification,
  subjects: RequestSubjects,
  elapsed: () => number,
  ends: readonly AbortSignal[],
): Promise<Verdict | undefined> {
  const counter = new MatchCounter(journal, sandbox, query, subjects, elapsed)
  const range = toRange(expected)
  for (;;) {
    const left = withinMs - elapsed()
    const counted = await counter.update()
    if (counted === undefined) return undefined
    const mayChange = left > 0 && !isDecided(counted, range)
    if (mayChange && (await waitForEntry(journal, counted.version, left, ends)) !== 'end') continue
    const verdict = judgeCount(counted, range)
    return { ...verdict, nearMisses: verdict.satisfied ? [] : await counter.nearMisses() }
  }
}

interface CountRange {
  readonly min: number
  /** Infinity: there is no upper bound. */
  readonly max: number
}

/** Returns true where no further request can change the verdict. */
function isDecided({ count, truncated }: MatchCount, { min, max }: CountRange): boolean {
  if (count < min) return false
  return count > max || max === Number.POSITIVE_INFINITY || truncated
}

function judgeCount({ version, ...counted }: MatchCount, { min, max }: CountRange): Omit<Verdict, 'nearMisses'> {
  const { count, truncated } = counted
  const unproved = max !== Number.POSITIVE_INFINITY && truncated && count <= max
  return { ...counted, unproved, satisfied: count >= min && count <= max && !unproved }
}

function toRange({ exactly, atLeast, atMost }: CountBounds): CountRange {
  if (exactly !== undefined) return { min: exactly, max: exactly }
  const min = atLeast ?? (atMost === undefined ? 1 : 0)
  return { min, max: atMost ?? Number.POSITIVE_INFINITY }
}
