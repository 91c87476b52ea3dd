import type { JournalEntry } from '../journal/entry.ts'
import {
  type Attempt,
  callKind,
  createCallKey,
  immediateMs,
  isNewCall,
  isSentAfter,
  judgeOutcome,
  type LiveCall,
  measurePause,
  readRetryCount,
  toAttempt,
} from './attempts.ts'
import { judgeRetry, mayBeStored, type RetryFault, type RetryJudgement } from './judge-retry.ts'
import { type RetriedTries, type RetryChain, RetryChains } from './retry-chains.ts'

/** An attempt that begins, continues or ends a chain. */
export interface TrackedAttempt {
  readonly attempt: Attempt
  /** The attempt before; undefined for the first of the chain. */
  readonly previous: Attempt | undefined
  readonly chain: RetryChain
  /** The pause before the attempt, milliseconds; undefined for the first of the chain. */
  readonly waitedMs: number | undefined
  readonly faults: readonly RetryFault[]
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
    const isNegativeTest = entry.expectation !== undefined // it breaks rules on purpose
    if (isNegativeTest || entry.response.origin === 'simulator' || entry.aborted) return undefined
    const kind = callKind(entry)
    this.#parallelCalls.record(kind, entry)
    const retryCount = readRetryCount(entry.request.headers)
    this.#latestRequests.push({ receivedAt: entry.receivedAt, kind, retryCount })
    if (this.#latestRequests.length > maxLatest) this.#latestRequests.shift()
    if (!this.#chains.canContinue(kind, entry) && judgeOutcome(entry) === 'fine') return undefined
    const latest = this.#readAttempt(entry, live)
    const retried = this.#chains.findRetried(latest)
    return retried ? this.#continueChain(latest, retried) : this.#beginCall(latest)
  }

  /** Corrects the outcome of a recorded exchange. One that turns out to be lost begins a chain. */
  correct(entry: JournalEntry, live: LiveCall): void {
    const chains = this.#chains.endingWith(entry.id)
    for (const chain of chains)
      chain.lasts = chain.lasts.map((last) => (last.id === entry.id ? toAttempt(entry, last.call) : last))
    if (chains.length > 0 || judgeOutcome(entry) === 'fine') return
    if (this.#latestRequests.some((other) => mayRepeat(other, entry))) return
    const latest = this.#readAttempt(entry, live)
    this.#beginChain(latest, this.#chains.equalTo(latest.call).length > 0)
  }

  #readAttempt(entry: JournalEntry, live: LiveCall): Attempt {
    return toAttempt(entry, createCallKey(entry, live, this.#idempotentOperations.has(entry.operation ?? '')))
  }

  #beginCall(latest: Attempt): TrackedAttempt | undefined {
    const { retryCount, call } = latest
    const equal = this.#chains.equalTo(call)
    if (retryCount === undefined) for (const chain of equal) chain.isParallel = true
    // A client that begins to count again has given up the call with this `insertId`.
    else if (retryCount === 0 && call.insertId !== undefined) for (const chain of equal) this.#chains.remove(chain)
    return this.#beginChain(latest, equal.length > 0)
  }

  /** Continues the oldest of the chains, or ends it by a success. */
  #continueChain(latest: Attempt, { candidates, tries, isCertain }: RetriedTries): TrackedAttempt | undefined {
    const [chain, ...others] = candidates
    const [previous] = tries
    this.#chains.remove(chain)
    if (tries.every((last) => isNewCall(last, measurePause(last, latest)))) return this.#beginChain(latest, false)
    const left = listLeft(candidates, tries)
    for (const other of others) Object.assign(other, { lasts: left, pauses: [] })
    const judged = tries.map((last) => judgeRetry(last, chain.pauses, latest))
    const isUnclear = chain.isParallel && latest.retryCount === undefined
    const isLost = withoutUncertain(tries).every(({ outcome }) => outcome === 'lost')
    const faults = listSharedFaults(tries, judged).filter(({ rule }) => {
      if (chain.isCorrection && rule === 'no-retry') return false
      return isCertain && (!isUnclear || (isLost && rule === 'same-insert-id'))
    })
    const pauses = tries.length > 1 ? [] : (judged[0]?.pauses ?? [])
    const continued = { ...chain, call: latest.call, lasts: [latest], pauses }
    if (latest.outcome !== 'fine') this.#chains.store(continued)
    return { attempt: latest, previous, chain: continued, waitedMs: measurePause(previous, latest), faults }
  }

  /** Begins a chain with a failed attempt; returns undefined for another. `hasEqual`: equal calls are not over. */
  #beginChain(latest: Attempt, hasEqual: boolean): TrackedAttempt | undefined {
    if (latest.outcome === 'fine') return undefined
    const { call } = latest
    // The name is padded, so that findings are sorted in the order of the requests.
    const name = String(latest.number).padStart(12, '0')
    const isExpected = !latest.hasBody && this.#parallelCalls.areExpected(call.kind, latest)
    const isParallel = latest.retryCount === undefined && (hasEqual || isExpected)
    const isCorrection = (latest.retryCount ?? 0) > 0
    const chain: RetryChain = { name, call, lasts: [latest], isParallel, isCorrection, pauses: [] }
    this.#chains.store(chain)
    return { attempt: latest, previous: undefined, chain, waitedMs: undefined, faults: [] }
  }
}

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

/** The time for which a client that asked in parallel is expected to send further such requests, milliseconds. */
const expectedMs = 1000

const maxKinds = 128

/**
 * Kinds of calls of which two successive ones were under way at the same time, so that a request after a failed one can
 * be a first attempt that waited for a free connection. Times are the process's monotonic clock's, milliseconds.
 */
class ParallelCalls {
  readonly #overlaps = new Map<string, number>()
  #latest = { kind: '', endedAt: 0 }

  /** Compares an exchange with the one that ended before it. */
  record(kind: string, entry: JournalEntry): void {
    const { endedAt } = entry
    if (kind === this.#latest.kind && !isSentAfter(entry, this.#latest.endedAt)) this.#overlaps.set(kind, endedAt)
    this.#latest = { kind, endedAt }
    const [oldest] = this.#overlaps.keys()
    if (this.#overlaps.size > maxKinds && oldest !== undefined) this.#overlaps.delete(oldest)
  }

  /** Returns true where a request of this kind is expected to be one of several parallel ones. */
  areExpected(kind: string, { receivedAt }: Attempt): boolean {
    return receivedAt - (this.#overlaps.get(kind) ?? Number.NEGATIVE_INFINITY) < expectedMs
  }
}
