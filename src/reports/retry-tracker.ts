import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, canRetry, hasFailed, isNewCall, measurePause, toAttempt } from './attempts.ts'
import { type CallKey, createCallKey, type LiveCall } from './call-key.ts'
import { findReplaced, findRetried, type RetriedChain } from './find-retried.ts'
import { judgeRetry, type RetryFault, type RetryJudgement } from './judge-retry.ts'
import { ParallelCalls } from './parallel-calls.ts'
import { type RetryChain, RetryChains } from './retry-chains.ts'

/** An attempt that begins, continues or ends a chain. */
export interface TrackedAttempt {
  readonly attempt: Attempt
  /** The attempt before; undefined for the first of the chain. */
  readonly previous: Attempt | undefined
  /** The chain with the attempt. */
  readonly chain: RetryChain
  /** The pause before the attempt, milliseconds; undefined for the first of the chain. */
  readonly waitedMs: number | undefined
  /** The rules of manners that the attempt broke as a retry. */
  readonly faults: readonly RetryFault[]
  /** True where the attempt shows that the chain's call kept its `insertId`, so that an earlier request with another one was no retry. */
  readonly isDisproof: boolean
}

/** The call of an attempt, with the entry that shows it. */
interface CalledEntry {
  readonly entry: JournalEntry
  readonly call: CallKey
  readonly isIdempotent: boolean
  readonly latest: Attempt
}

/** The largest number of calls that are known to keep their `insertId`; a further one evicts the oldest. */
const maxKeptCalls = 10_000

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
  readonly #keptCalls: Set<string>
  /** The id of the latest exchange. */
  #latest = ''

  /**
   * `idempotentOperations`: the ids of the operations whose body has an `insertId`. `keptCalls`: the keys of the calls that are known to
   * keep their `insertId`, to which the tracker adds those that it finds.
   */
  constructor(idempotentOperations: Pick<ReadonlySet<string>, 'has'>, keptCalls: Set<string> = new Set()) {
    this.#idempotentOperations = idempotentOperations
    this.#keptCalls = keptCalls
  }

  /** Records an exchange. Undefined: it is no attempt of a call that failed. */
  record(entry: JournalEntry, live: LiveCall): TrackedAttempt | undefined {
    const isNegativeTest = entry.expectation !== undefined // impolite on purpose
    if (isNegativeTest || entry.answer.origin === 'simulator' || entry.aborted) return undefined
    this.#parallelCalls.record(entry)
    this.#latest = entry.id
    const canContinue = this.#chains.canContinue(entry)
    if (!canContinue && !hasFailed(entry)) return undefined
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    const call = createCallKey(entry, live, isIdempotent)
    return this.#recordAttempt({ entry, call, isIdempotent, latest: toAttempt(entry, call) })
  }

  /**
   * Corrects the outcome of a recorded exchange. One that turns out to be lost begins a chain, unless another came after it, which may have
   * been its retry and is not judged again.
   */
  correct(entry: JournalEntry, live: LiveCall): void {
    const chain = this.#chains.endingWith(entry.id)
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    if (chain) chain.last = toAttempt(entry, chain.call)
    else if (hasFailed(entry) && this.#latest === entry.id) {
      const call = createCallKey(entry, live, isIdempotent)
      this.#beginChain({ entry, call, isIdempotent, latest: toAttempt(entry, call) }, false, false)
    }
  }

  #recordAttempt(called: CalledEntry): TrackedAttempt | undefined {
    const { call, latest } = called
    const equal = this.#chains.ofCall(call)
    const retried = findRetried(called, equal)
    if (retried) return this.#continueChain(called, retried)
    const alike = this.#findAlike(called)
    const isKnown = equal.length > 0 || this.#keptCalls.has(call.key)
    const replaced = isKnown ? undefined : findReplaced(called, alike)
    if (replaced) return this.#replaceCall(called, replaced)
    const twins = alike.filter(({ last }) => !canRetry(latest, last))
    for (const chain of twins) chain.hasTwin = true
    if (latest.retryCount === undefined) for (const chain of equal) chain.isParallel = true
    return this.#beginChain(called, equal.length > 0, twins.length > 0)
  }

  /** Returns the chains of events that are equal but for their `insertId`, without those that are known to keep it. */
  #findAlike({ call, isIdempotent }: CalledEntry): readonly RetryChain[] {
    if (!isIdempotent) return []
    return this.#chains.withBodyOf(call).filter((chain) => !this.#keptCalls.has(chain.call.key))
  }

  /** Continues the chain of the same call, or ends it by a success. */
  #continueChain(called: CalledEntry, retried: RetriedChain): TrackedAttempt | undefined {
    const { latest, call } = called
    const { chain } = retried
    const { last: previous, isReplaced: isDisproof } = chain
    const waitedMs = measurePause(previous, latest)
    this.#chains.remove(chain)
    if (isNewCall(previous, waitedMs)) return this.#beginChain(called, false, false)
    const { pauses, faults } = judge(called, retried)
    Object.assign(chain, { last: latest, pauses, isReplaced: false, isContested: false })
    if (latest.insertId !== undefined) this.#storeKept(call)
    if (latest.outcome !== 'fine') this.#chains.store(chain)
    return { attempt: latest, previous, chain, waitedMs, faults, isDisproof }
  }

  /** Continues the chain of another call by one with another `insertId`. The other chain stays, since that id may still come again. */
  #replaceCall(called: CalledEntry, retried: RetriedChain): TrackedAttempt {
    const { latest, call } = called
    const { chain } = retried
    const { last: previous, name } = chain
    const { pauses, faults } = judge(called, retried)
    chain.isReplaced = true
    const continued = { ...newChain(name, call, latest), pauses }
    if (latest.outcome !== 'fine') this.#chains.store(continued)
    const waitedMs = measurePause(previous, latest)
    return { attempt: latest, previous, chain: continued, waitedMs, faults, isDisproof: false }
  }

  #storeKept({ key }: CallKey): void {
    this.#keptCalls.add(key)
    const [oldest] = this.#keptCalls
    if (this.#keptCalls.size > maxKeptCalls && oldest !== undefined) this.#keptCalls.delete(oldest)
  }

  /** Begins a chain with a failed attempt; undefined for an attempt that did not fail. `hasEqual`: equal calls are not over. */
  #beginChain(
    { entry, call, latest }: CalledEntry,
    hasEqual: boolean,
    hasTwin: boolean,
  ): TrackedAttempt | undefined {
    if (latest.outcome === 'fine') return undefined
    // The name is padded, so that findings are sorted in the order of the requests.
    const name = String(entry.number).padStart(12, '0')
    const isExpected = entry.request.body.size === 0 && this.#parallelCalls.areExpected(call.kind, latest)
    const isParallel = latest.retryCount === undefined && (hasEqual || isExpected)
    const chain = { ...newChain(name, call, latest), isParallel, hasTwin }
    this.#chains.store(chain)
    return { attempt: latest, previous: undefined, chain, waitedMs: undefined, faults: [], isDisproof: false }
  }
}

function newChain(name: string, call: CallKey, last: Attempt): RetryChain {
  return {
    name,
    call,
    last,
    isParallel: false,
    pauses: [],
    isReplaced: false,
    isContested: false,
    hasTwin: false,
  }
}

/** Judges a retry by the rules that it is held to. If it may be the retry of another call, its pause does not count for later ones. */
function judge(
  { latest, isIdempotent }: CalledEntry,
  { chain, rules, isCertain, rivals }: RetriedChain,
): RetryJudgement {
  for (const rival of rivals) rival.isContested = true
  const { pauses, faults } = judgeRetry(chain, latest, isIdempotent)
  return { pauses: isCertain ? pauses : [], faults: faults.filter(({ rule }) => rules.includes(rule)) }
}
