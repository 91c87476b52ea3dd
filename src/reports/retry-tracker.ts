import type { JournalEntry } from '../journal/entry.ts'
import {
  type Attempt,
  classifyAttempt,
  hasFailed,
  isNewCall,
  isWaiting,
  judgeRetry,
  measurePause,
  type RetryChain,
  type RetryFault,
  toAttempt,
} from './attempts.ts'
import { type CallKey, createCallKey, type LiveCall } from './call-key.ts'
import { ParallelCalls } from './parallel-calls.ts'
import { RetryChains } from './retry-chains.ts'

/** An attempt that begins, continues or ends a chain, or a request of the same call that was sent at the same time. */
export interface TrackedAttempt {
  readonly attempt: Attempt
  /** True for a request that is no attempt of the chain: it was sent together with an attempt, by a client that asks in parallel. */
  readonly isConcurrent: boolean
  /** The attempt before; undefined for the first of the chain. */
  readonly previous: Attempt | undefined
  /** The chain with the attempt. */
  readonly chain: RetryChain
  /** The pause before the attempt, milliseconds; undefined for the first of the chain. */
  readonly waitedMs: number | undefined
  /** The rules of manners that the attempt broke as a retry. */
  readonly faults: readonly RetryFault[]
}

const notJudged = { pauses: [], faults: [] }

/** The call of an attempt, with the entry that shows it. */
interface CalledEntry {
  readonly entry: JournalEntry
  readonly call: CallKey
  readonly isIdempotent: boolean
}

/**
 * Recognises the attempts of the failed calls of a sandbox, and judges the retries. It is given every exchange in the journal's order.
 *
 * Attempts of one call have the same method, path, query and caller, and the same `insertId` or, without one, the same body. Only failed
 * calls are stored, at most 128.
 */
export class RetryTracker {
  readonly #idempotentOperations: Pick<ReadonlySet<string>, 'has'>
  readonly #chains = new RetryChains()
  readonly #parallelCalls = new ParallelCalls()

  /** `idempotentOperations`: the ids of the operations whose body has an `insertId`. */
  constructor(idempotentOperations: Pick<ReadonlySet<string>, 'has'>) {
    this.#idempotentOperations = idempotentOperations
  }

  /** Records an exchange. Undefined: it is no attempt of a call that failed. */
  record(entry: JournalEntry, live: LiveCall): TrackedAttempt | undefined {
    const isNegativeTest = entry.expectation !== undefined // impolite on purpose
    if (isNegativeTest || entry.answer.origin === 'simulator' || entry.aborted) return undefined
    this.#parallelCalls.record(entry)
    const canContinue = this.#chains.canContinue(entry)
    if (!canContinue && !hasFailed(entry)) return undefined
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    return this.#recordAttempt({ entry, call: createCallKey(entry, live, isIdempotent), isIdempotent })
  }

  #recordAttempt(called: CalledEntry): TrackedAttempt | undefined {
    const { entry, call } = called
    const latest = toAttempt(entry, call)
    const chain = this.#chains.find(call)
    if (!chain) return this.#beginChain(called, latest)
    const kind = classifyAttempt(latest, chain)
    const isOtherEvent = kind === 'parallel' && latest.insertId !== chain.last.insertId
    if (kind === 'retry') return this.#continueChain(called, chain, latest, true)
    if (!isOtherEvent && isWaiting(latest, chain)) {
      const parallel = { ...chain, isParallel: true }
      this.#chains.store(call, parallel) // the retry of its last attempt is still to come
      return { ...withoutPause(parallel, latest), isConcurrent: true }
    }
    return kind === 'unclear'
      ? this.#continueChain(called, chain, latest, false)
      : this.#beginChain(called, latest)
  }

  /** Continues a chain, or ends it by a success. `isRetry`: false for an attempt that may be no retry, so that it is not judged. */
  #continueChain(
    called: CalledEntry,
    before: RetryChain,
    latest: Attempt,
    isRetry: boolean,
  ): TrackedAttempt | undefined {
    const { call, isIdempotent } = called
    const waitedMs = measurePause(before.last, latest)
    this.#chains.remove(call)
    if (isNewCall(before.last, waitedMs)) return this.#beginChain(called, latest)
    const { pauses, faults } = isRetry ? judgeRetry(before, latest, isIdempotent) : notJudged
    const chain = { ...before, last: latest, pauses }
    if (latest.outcome !== 'fine') this.#chains.store(call, chain)
    return { attempt: latest, isConcurrent: false, previous: before.last, chain, waitedMs, faults }
  }

  /** Begins a chain with a failed attempt; undefined for an attempt that did not fail. */
  #beginChain({ entry, call }: CalledEntry, attempt: Attempt): TrackedAttempt | undefined {
    if (attempt.outcome === 'fine') return undefined
    // The name is padded, so that findings are sorted in the order of the requests.
    const name = String(entry.number).padStart(12, '0')
    const isParallel = this.#parallelCalls.areExpected(call.kind, attempt.sentAt)
    const chain = { name, last: attempt, isParallel, pauses: [] }
    this.#chains.store(call, chain)
    return withoutPause(chain, attempt)
  }
}

/** Returns an attempt before which the client did not wait. */
function withoutPause(chain: RetryChain, attempt: Attempt): TrackedAttempt {
  return { attempt, isConcurrent: false, previous: undefined, chain, waitedMs: undefined, faults: [] }
}
