import type { JournalEntry } from '../journal/entry.ts'
import {
  type Attempt,
  immediateMs,
  isNewCall,
  judgeOutcome,
  measurePause,
  readRetryCount,
  toAttempt,
} from './attempts.ts'
import { type CallKey, callKind, createCallKey, type LiveCall } from './call-key.ts'
import { findRetried, type RetriedTries } from './find-retried.ts'
import { judgeRetry, mayBeStored, type RetryFault, type RetryJudgement } from './judge-retry.ts'
import { ParallelCalls } from './parallel-calls.ts'
import { type RetryChain, RetryChains } from './retry-chains.ts'

/** An attempt that begins, continues or ends a chain. */
export interface TrackedAttempt {
  readonly attempt: Attempt
  /** The attempt before; undefined for the first of the chain. */
  readonly previous: Attempt | undefined
  readonly chain: RetryChain
  /** The pause before the attempt, milliseconds; undefined for the first of the chain. */
  readonly waitedMs: number | undefined
  /** the retry rules that the attempt broke as a retry. */
  readonly faults: readonly RetryFault[]
}

/** The call of an attempt, with the entry that shows it. */
interface CalledEntry {
  readonly entry: JournalEntry
  readonly call: CallKey
  readonly isIdempotent: boolean
  readonly latest: Attempt
}

/** A request with the parts by which it is known as a retry; its body is not stored. */
interface ReceivedRequest {
  readonly receivedAt: number
  readonly kind: string
  readonly retryCount: number | undefined
}

/** The number of requests among which the retry of an exchange is looked for whose outcome is corrected. */
const maxLatest = 16

/**
 * Recognises the attempts of the failed calls of a sandbox, and judges the retries. It is given every exchange in the
 * journal's order.
 *
 * Attempts of one call have the same method, path, query and caller, and the same `insertId` or, without one, the same
 * body; or the client says by a count that it tries again. Only failed calls are stored, at most 128.
 */
export class RetryTracker {
  readonly #idempotentOperations: Pick<ReadonlySet<string>, 'has'>
  readonly #chains = new RetryChains()
  readonly #parallelCalls = new ParallelCalls()
  readonly #latestRequests: ReceivedRequest[] = []

  /** `idempotentOperations`: the ids of the operations whose body has an `insertId`. */
  constructor(idempotentOperations: Pick<ReadonlySet<string>, 'has'>) {
    this.#idempotentOperations = idempotentOperations
  }

  /** Records an exchange. Returns its attempt, or undefined if its call has not failed. */
  record(entry: JournalEntry, live: LiveCall): TrackedAttempt | undefined {
    const isNegativeTest = entry.expectation !== undefined // impolite on purpose
    if (isNegativeTest || entry.response.origin === 'simulator' || entry.aborted) return undefined
    const kind = callKind(entry)
    this.#parallelCalls.record(kind, entry)
    const retryCount = readRetryCount(entry.request.headers)
    this.#latestRequests.push({ receivedAt: entry.receivedAt, kind, retryCount })
    if (this.#latestRequests.length > maxLatest) this.#latestRequests.shift()
    if (!this.#chains.canContinue(kind, entry) && judgeOutcome(entry) === 'fine') return undefined
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    const call = createCallKey(entry, live, isIdempotent)
    return this.#recordAttempt({ entry, call, isIdempotent, latest: toAttempt(entry, call) })
  }

  /** Corrects the outcome of a recorded exchange. One that turns out to be lost begins a chain. */
  correct(entry: JournalEntry, live: LiveCall): void {
    const chains = this.#chains.endingWith(entry.id)
    for (const chain of chains)
      chain.lasts = chain.lasts.map((last) => (last.id === entry.id ? toAttempt(entry, chain.call) : last))
    if (chains.length > 0 || judgeOutcome(entry) === 'fine') return
    if (this.#latestRequests.some((other) => mayRepeat(other, entry))) return
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    const call = createCallKey(entry, live, isIdempotent)
    const hasEqual = this.#chains.ofKind(call.kind).some(({ call: { key } }) => key === call.key)
    this.#beginChain({ entry, call, isIdempotent, latest: toAttempt(entry, call) }, hasEqual)
  }

  #recordAttempt(called: CalledEntry): TrackedAttempt | undefined {
    const { call, latest } = called
    const chains = this.#chains.ofKind(call.kind)
    const retried = findRetried(latest, call, chains)
    if (retried) return this.#continueChain(called, retried)
    const equal = chains.filter(({ call: { key } }) => key === call.key)
    if (latest.retryCount === undefined) for (const chain of equal) chain.isParallel = true
    // A client that begins to count again has given up the call with this `insertId`.
    else if (latest.retryCount === 0 && latest.insertId !== undefined)
      for (const chain of equal) this.#chains.remove(chain)
    return this.#beginChain(called, equal.length > 0)
  }

  /** Continues a chain, or ends it by a success. */
  #continueChain(called: CalledEntry, retried: RetriedTries): TrackedAttempt | undefined {
    const { latest, call, isIdempotent } = called
    const { chain, tries, candidates, isCertain } = retried
    const [previous] = tries as [Attempt] // a candidate has at least one
    this.#chains.remove(chain)
    const waitedMs = measurePause(previous, latest)
    if (tries.every((last) => isNewCall(last, measurePause(last, latest)))) return this.#beginChain(called, false)
    const left = listLeft(candidates, tries)
    for (const other of candidates) if (other !== chain) Object.assign(other, { lasts: left, pauses: [] })
    const judged = tries.map((last) => judgeRetry(last, chain.pauses, latest, isIdempotent))
    const shared = listSharedFaults(tries, judged)
    const faults = chain.isCorrection ? shared.filter(({ rule }) => rule !== 'no-retry') : shared
    const isUnclear = chain.isParallel && latest.retryCount === undefined
    const isLost = withoutUncertain(tries).every(({ outcome }) => outcome === 'lost')
    const pauses = tries.length > 1 ? [] : (judged[0]?.pauses ?? [])
    const continued = { ...chain, call, lasts: [latest], pauses }
    if (latest.outcome !== 'fine') this.#chains.store(continued)
    return {
      attempt: latest,
      previous,
      chain: continued,
      waitedMs,
      faults: isCertain ? faults.filter(({ rule }) => !isUnclear || (isLost && rule === 'same-insert-id')) : [],
    }
  }

  /** Begins a chain with a failed attempt; returns undefined for another. `hasEqual`: equal calls are not over. */
  #beginChain({ entry, call, latest }: CalledEntry, hasEqual: boolean): TrackedAttempt | undefined {
    if (latest.outcome === 'fine') return undefined
    // The name is padded, so that findings are sorted in the order of the requests.
    const name = String(entry.number).padStart(12, '0')
    const isExpected = entry.request.body.size === 0 && this.#parallelCalls.areExpected(call.kind, latest)
    const isParallel = latest.retryCount === undefined && (hasEqual || isExpected)
    const isCorrection = (latest.retryCount ?? 0) > 0
    const chain: RetryChain = { name, call, lasts: [latest], isParallel, isCorrection, pauses: [] }
    this.#chains.store(chain)
    return { attempt: latest, previous: undefined, chain, waitedMs: undefined, faults: [] }
  }
}

/** Returns true if a request may be the retry of an exchange. */
function mayRepeat({ receivedAt, kind, retryCount }: ReceivedRequest, before: JournalEntry): boolean {
  if (receivedAt <= before.receivedAt || receivedAt < before.endedAt - immediateMs) return false
  const isNext = retryCount === undefined || retryCount === (readRetryCount(before.request.headers) ?? 0) + 1
  return isNext && kind === callKind(before)
}

/** Lists the tries with which the other candidates may end; a try that was certainly repeated is none of them. */
function listLeft(candidates: readonly RetryChain[], tries: readonly Attempt[]): readonly Attempt[] {
  const all = [...new Set(candidates.flatMap(({ lasts }) => lasts))]
  const others = all.filter((last) => !tries.includes(last))
  return tries.length === 1 && others.length > 0 ? others : all
}

/** Returns the faults that a retry commits whichever of the tries it repeats. */
function listSharedFaults(tries: readonly Attempt[], judged: readonly RetryJudgement[]): readonly RetryFault[] {
  const all = judged.flatMap(({ faults }) => faults)
  const sharers = (rule: string) => (rule === 'same-insert-id' ? withoutUncertain(tries) : tries)
  const hasFault = (last: Attempt, rule: string) =>
    judged[tries.indexOf(last)]?.faults.some((fault) => fault.rule === rule) === true
  return all.filter(({ rule }, index) => {
    const isFirst = all.findIndex((other) => other.rule === rule) === index
    return isFirst && sharers(rule).every((last) => hasFault(last, rule))
  })
}

/**
 * Returns the tries without those of uncertain outcome, after which an event is stored twice, too; all where none is
 * left. An uncertain 429 stays: a client that read it may send the event with another `insertId`.
 */
function withoutUncertain(tries: readonly Attempt[]): readonly Attempt[] {
  const certain = tries.filter((last) => last.outcome !== 'uncertain' || !mayBeStored(last))
  return certain.length > 0 ? certain : tries
}
