import { visitInSlices } from '../core/slices.ts'
import { isComplete } from '../journal/capture-body.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import { isIgnoredRequest } from './ignored-requests.ts'
import type { RetryChain } from './retry-chains.ts'
import { RetryTracker, type TrackedAttempt } from './retry-tracker.ts'

/** An attempt with its entry in the journal. */
export interface ListedAttempt extends TrackedAttempt {
  readonly entry: JournalEntry
}

/** The attempts of one call that failed at least once. */
export interface ListedChain {
  /** The entry of the first known attempt. */
  readonly first: ListedAttempt
  /** True where the client sends such calls in parallel, so that its retries are not judged. */
  readonly isParallel: boolean
  /** The latest attempts in their order, at most 50. */
  readonly attempts: readonly ListedAttempt[]
  /** The number of earlier attempts, which are not listed. */
  readonly earlier: number
}

export interface RetryQuery {
  readonly sandbox: string | undefined
  /** The fewest attempts of a listed chain. */
  readonly minAttempts: number
  /** The id of a request, whose chain alone is listed; undefined for all chains. */
  readonly request?: string
  readonly limit: number
}

/** The most attempts of a chain that are listed. */
const maxAttempts = 50

/**
 * Reads the chains of attempts from the journal, those with the latest attempts first, and the number of older ones
 * beyond the limit. It tracks the stored entries again, with the judgements of `Manners`. `truncated`: the journal
 * evicted requests, or bodies that tell calls apart. Returns undefined if that takes too long.
 *
 * `idempotentOperations`: the ids of the operations whose body has an `insertId`; `elapsed`: milliseconds since any
 * fixed time, by which the work is cut into slices.
 */
export async function readRetryHistory(
  journal: Journal,
  { sandbox, minAttempts, request, limit }: RetryQuery,
  idempotentOperations: ReadonlySet<string>,
  elapsed: () => number,
) {
  const { entries, counts } = await journal.list({ sandbox })
  const collector = new ChainCollector(idempotentOperations, request)
  if (!(await visitInSlices(entries, elapsed, (entry) => collector.add(entry)))) return undefined
  const chains = collector.list().filter(({ earlier, attempts }) => earlier + attempts.length >= minAttempts)
  return {
    chains: chains.slice(0, limit),
    further: Math.max(0, chains.length - limit),
    truncated: counts.dropped > 0 || collector.isIncomplete,
  }
}

interface CollectedChain extends Omit<ListedChain, 'isParallel'> {
  /** The chain with the latest attempt, which later requests may show to be parallel. */
  chain: RetryChain
  earlier: number
  readonly attempts: ListedAttempt[]
}

/** Collects the attempts of each chain from the entries of any sandboxes. */
class ChainCollector {
  readonly #idempotentOperations: ReadonlySet<string>
  readonly #request: string | undefined
  /** The chain of `#request`; undefined: it is an attempt of none. */
  #chainOfRequest: CollectedChain | undefined
  readonly #trackers = new Map<string, RetryTracker>()
  /** The chains by sandbox and name; the chain with the latest attempt is last. */
  readonly #chains = new Map<string, CollectedChain>()
  /** True where the body of a request is not stored, so that its call is unknown. */
  isIncomplete = false

  /** `request`: the id of the request whose chain alone is listed; undefined: all are. */
  constructor(idempotentOperations: ReadonlySet<string>, request: string | undefined) {
    this.#idempotentOperations = idempotentOperations
    this.#request = request
  }

  add(entry: JournalEntry): void {
    if (isIgnoredRequest(entry)) return
    if (!isComplete(entry.request.body)) {
      this.isIncomplete = true
      return
    }
    // The token itself is not stored. Callers whose tokens are too short to be redacted are not told apart.
    const live = { requestBody: undefined, token: entry.caller ?? entry.ownToken }
    const tracked = this.#trackerOf(entry.sandbox).record(entry, live)
    if (tracked) this.#addAttempt({ entry, ...tracked })
  }

  /** Returns the chains, those with the latest attempts first. */
  list(): readonly ListedChain[] {
    const chosen = this.#request === undefined ? [...this.#chains.values()] : [this.#chainOfRequest]
    return chosen
      .filter((collected) => collected !== undefined)
      .map(({ chain, ...collected }) => ({ ...collected, isParallel: chain.isParallel }))
      .reverse()
  }

  #addAttempt(attempt: ListedAttempt): void {
    const { entry, chain } = attempt
    const key = `${entry.sandbox} ${chain.name}`
    const collected = this.#chains.get(key) ?? { first: attempt, chain, attempts: [], earlier: 0 }
    this.#chains.delete(key) // so that the chain becomes the last
    this.#chains.set(key, collected)
    collected.chain = chain
    if (entry.id === this.#request) this.#chainOfRequest = collected
    collected.attempts.push(attempt)
    if (collected.attempts.length <= maxAttempts) return
    collected.attempts.shift()
    collected.earlier += 1
  }

  #trackerOf(sandbox: string): RetryTracker {
    let tracker = this.#trackers.get(sandbox)
    if (!tracker) {
      tracker = new RetryTracker(this.#idempotentOperations)
      this.#trackers.set(sandbox, tracker)
    }
    return tracker
  }
}
