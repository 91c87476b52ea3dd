import { visitInSlices } from '../../base/core/slices.ts'
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
  /** The first known attempt. */
  readonly first: ListedAttempt
  /** The chain as of the latest attempt; later requests may show that its calls are sent in parallel. */
  chain: RetryChain
  /** The latest attempts in their order, at most 50. */
  readonly attempts: ListedAttempt[]
  /** The number of earlier attempts, which are not listed. */
  earlier: number
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
 * Reads the chains of attempts from the journal, those with the latest attempts first, as `RetryProblems` judges them.
 * `further`: the number of older ones beyond the limit. `truncated`: requests, or bodies that tell calls apart, were
 * evicted. Returns undefined if that takes too long. `elapsed`: milliseconds since any time, by which work is sliced.
 */
export async function readRetryHistory(
  journal: Journal,
  { sandbox, minAttempts, request, limit }: RetryQuery,
  idempotentOperations: ReadonlySet<string>,
  elapsed: () => number,
) {
  const { entries, counts } = await journal.list({ sandbox })
  const trackers = new Map<string, RetryTracker>()
  const chains = new Map<string, ListedChain>()
  const chosen = new Set<ListedChain>()
  let isIncomplete = false // true where the body of a request is not stored, so that its call is unknown
  const visit = (entry: JournalEntry) => {
    if (isIgnoredRequest(entry)) return
    if (!isComplete(entry.request.body)) {
      isIncomplete = true
      return
    }
    const tracker = trackers.get(entry.sandbox) ?? new RetryTracker(idempotentOperations)
    trackers.set(entry.sandbox, tracker)
    const tracked = tracker.record(entry, { requestBody: undefined, token: tokenOf(entry) })
    const chain = tracked && addAttempt(chains, { entry, ...tracked })
    if (chain && (request === undefined || entry.id === request)) chosen.add(chain)
  }
  if (!(await visitInSlices(entries, elapsed, visit))) return undefined
  const listed = [...chains.values()]
    .filter((one) => chosen.has(one) && one.earlier + one.attempts.length >= minAttempts)
    .reverse()
  return {
    chains: listed.slice(0, limit),
    further: Math.max(0, listed.length - limit),
    truncated: counts.dropped > 0 || isIncomplete,
  }
}

/** Returns what stands for the token, which is not stored. Callers with tokens too short to be redacted have none. */
const tokenOf = ({ caller, authorization, ownToken }: JournalEntry) =>
  caller ?? (authorization === undefined ? undefined : ownToken)

/** Adds an attempt to its chain, which becomes the last. `chains`: the chains by sandbox and name. */
function addAttempt(chains: Map<string, ListedChain>, attempt: ListedAttempt): ListedChain {
  const { entry, chain } = attempt
  const key = `${entry.sandbox} ${chain.name}`
  const listed = chains.get(key) ?? { first: attempt, chain, attempts: [], earlier: 0 }
  chains.delete(key)
  chains.set(key, listed)
  listed.chain = chain
  listed.attempts.push(attempt)
  if (listed.attempts.length > maxAttempts) {
    listed.attempts.shift()
    listed.earlier += 1
  }
  return listed
}
