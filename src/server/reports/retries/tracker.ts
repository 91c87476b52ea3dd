import type { JournalEntry } from '../../journal/entry.ts'
import {
  type Attempt,
  callKind,
  canRetry,
  createCallKey,
  endToleranceMs,
  isSameSender,
  judgeOutcome,
  type LiveCall,
  type LookupKeys,
  measurePause,
  readRetryCount,
  toAttempt,
} from './attempt.ts'
import { OpenCalls, type RetryChain, type RetryTargets } from './open-calls.ts'
import { addPause, duplicateEvent, judgeRetry, type RetryProblem, TightLoops, type UnjudgedReason } from './rules.ts'
import { listRemaining, listSharedProblems } from './shared-problems.ts'

/** An attempt that begins, continues or ends a chain, or that leaves failed attempts unjudged. */
export interface TrackedAttempt {
  readonly attempt: Attempt
  /** The previous attempt of the chain, if any. */
  readonly previous: Attempt | undefined
  /** The attempt's chain; undefined if the attempt merely leaves failed attempts unjudged. */
  readonly chain: Pick<RetryChain, 'name' | 'isParallel'> | undefined
  /** The pause before the attempt in milliseconds; undefined if there is no previous attempt. */
  readonly waitedMs: number | undefined
  readonly problems: readonly RetryProblem[]
  /** The problems that the attempt has if it is a retry, which is not certain. */
  readonly advice: readonly RetryProblem[]
  /** The reasons why failed attempts could not be judged, one for each such attempt. */
  readonly unjudged: readonly UnjudgedReason[]
}

/** The properties of a request, other than its body, that show whether it may be a retry. */
interface ReceivedRequest {
  readonly receivedAt: number
  readonly kind: string
  readonly retryCount: number | undefined
}

interface Judgment {
  readonly chain: RetryChain | undefined
  readonly previous: Attempt | undefined
  readonly pauses: readonly number[]
  readonly problems: readonly RetryProblem[]
}

const noJudgment: Judgment = { chain: undefined, previous: undefined, pauses: [], problems: [] }

/** Leaves a failed attempt unjudged. `possible`: the problems that the latest attempt has if it retries `last`. */
type Skip = (last: Attempt, reason: UnjudgedReason, possible: readonly RetryProblem[]) => void

/** The reasons that turn the possible problems of an attempt into advice. */
const advisedReasons: ReadonlySet<UnjudgedReason> = new Set(['no-id', 'other-event', 'several-clients'])

/** The number of recent requests to search for a retry of an exchange whose outcome is corrected. */
const maxLatest = 16

const maxAcknowledged = 1000

/**
 * Recognizes the attempts of a sandbox's failed calls and judges the retries by the rules in `rules.ts`. The tracker
 * must receive the exchanges in the journal's order.
 */
export class RetryTracker {
  readonly #idempotentOperations: Pick<ReadonlySet<string>, 'has'>
  readonly #open: OpenCalls
  readonly #loops = new TightLoops()
  readonly #latestRequests: ReceivedRequest[] = []
  /** The events without an `insertId` that were stored and acknowledged, each as a string. */
  readonly #acknowledged = new Set<string>()
  readonly #unjudged = new WeakSet<Attempt>()

  /** `idempotentOperations`: the IDs of the operations with an `insertId` field. `reach`: see `OpenCalls`. */
  constructor(idempotentOperations: Pick<ReadonlySet<string>, 'has'>, reach: number) {
    this.#idempotentOperations = idempotentOperations
    this.#open = new OpenCalls(reach)
  }

  /** Records an exchange. Returns undefined if it is ignored or has nothing to do with a failed call. */
  record(entry: JournalEntry, live: LiveCall): TrackedAttempt | undefined {
    const isNegativeTest = entry.expectation !== undefined // may break rules on purpose
    if (isNegativeTest || entry.response.origin === 'simulator' || entry.aborted) return undefined
    const kind = callKind(entry)
    const retryCount = readRetryCount(entry.request.headers)
    this.#latestRequests.push({ receivedAt: entry.receivedAt, kind, retryCount })
    if (this.#latestRequests.length > maxLatest) this.#latestRequests.shift()
    const isSeparate = this.#isAcknowledged(entry, live)
    const isFine = judgeOutcome(entry) === 'fine'
    if (isFine && !this.#open.hasKind(kind)) return undefined
    const attempt = this.#readAttempt(entry, live, (call) => !isFine || this.#open.hasSimilar(call))
    return attempt && this.#judge(attempt, isSeparate)
  }

  /** Corrects a recorded exchange. If it failed and has apparently not been retried since, it begins a chain. */
  correct(entry: JournalEntry, live: LiveCall): void {
    const chains = this.#open.endingWith(entry.id)
    for (const chain of chains)
      chain.lastAttempts = chain.lastAttempts.map((last) => (last.id === entry.id ? toAttempt(entry, last.call) : last))
    if (chains.length > 0 || judgeOutcome(entry) === 'fine') return
    if (this.#latestRequests.some((other) => mayRepeat(other, entry))) return
    const attempt = this.#readAttempt(entry, live, () => true)
    if (attempt) this.#storeFailed(attempt)
  }

  #readAttempt(entry: JournalEntry, live: LiveCall, isNeeded: (keys: LookupKeys) => boolean) {
    const call = createCallKey(entry, live, this.#idempotentOperations.has(entry.operation ?? ''), isNeeded)
    return call && toAttempt(entry, call)
  }

  /** Returns true if the client knows that an identical event without an ID was stored. Remembers stored events. */
  #isAcknowledged(entry: JournalEntry, { token }: LiveCall): boolean {
    const { operation = '', request, response } = entry
    const { latin1 = '' } = request.body
    if (!this.#idempotentOperations.has(operation) || /"insertId"\s*:\s*"[^"]/.test(latin1)) return false
    const text = `${callKind(entry)} ${token} ${latin1}`
    const isKnown = this.#acknowledged.has(text)
    if (!isKnown && response.status < 300 && judgeOutcome(entry) === 'fine') this.#acknowledged.add(text)
    const [oldest] = this.#acknowledged
    if (this.#acknowledged.size > maxAcknowledged && oldest !== undefined) this.#acknowledged.delete(oldest)
    return isKnown
  }

  #judge(latest: Attempt, isSeparate: boolean): TrackedAttempt | undefined {
    const unjudged: UnjudgedReason[] = []
    const advice: RetryProblem[] = []
    const skip: Skip = (last, reason, problems) => {
      if (!this.#unjudged.has(last)) unjudged.push(reason)
      this.#unjudged.add(last)
      if (advisedReasons.has(reason)) advice.push(...problems)
    }
    if (isSeparate && latest.outcome === 'lost' && latest.isStored) skip(latest, 'separate-events', [])
    const loop = this.#loops.add(latest)
    const retried = this.#open.findRetried(latest)
    const proved = retried ? this.#judgeRetried(latest, retried, skip) : noJudgment
    const repeated = this.#judgeRepeats(latest, isSeparate, retried?.candidates ?? [], skip)
    const { chain: former, previous, pauses } = retried ? proved : repeated
    const chain = this.#storeFailed(latest, former, pauses, (dropped) => skip(dropped, 'dropped', [])) ?? former
    if (!chain && unjudged.length === 0) return undefined
    const all = [...proved.problems, ...repeated.problems, ...(loop ? [loop] : [])]
    const problems = all.filter(({ rule }, index) => all.findIndex((other) => other.rule === rule) === index)
    const waitedMs = previous && measurePause(previous, latest)
    return { attempt: latest, previous, chain, waitedMs, problems, advice, unjudged }
  }

  /** Judges a proven retry of one of the targets. Reports only problems common to all targets. */
  #judgeRetried(latest: Attempt, { candidates, targets, isCertain }: RetryTargets, skip: Skip): Judgment {
    const [chain, ...others] = candidates
    const [previous] = targets
    this.#open.remove(chain)
    const remaining = listRemaining(candidates, targets)
    for (const other of others) Object.assign(other, { lastAttempts: remaining, pauses: [] })
    const pausesAfter = targets.map((last) => addPause(last, chain.pauses, latest))
    const problemsByTarget = targets.map((last, index) => judgeRetry(last, pausesAfter[index] ?? [], latest))
    const isUnclear = chain.isParallel && !latest.retryCount
    const problems = isCertain && !isUnclear ? listSharedProblems(targets, problemsByTarget, chain) : []
    const unjudged = problems.length === 0 ? targets.filter((_, index) => problemsByTarget[index]?.length) : []
    for (const last of unjudged) skip(last, isUnclear ? 'parallel' : 'ambiguous', [])
    return { chain, previous, pauses: targets.length > 1 ? [] : (pausesAfter[0] ?? []), problems }
  }

  /** Judges an attempt that may be a retry of a similar call. Its only possible problem is a duplicate event. */
  #judgeRepeats(latest: Attempt, isSeparate: boolean, known: readonly RetryChain[], skip: Skip): Judgment {
    const others = this.#open.similarTo(latest.call).filter((chain) => !known.includes(chain))
    const found = others.map((chain) => judgeRepeat(chain, latest, isSeparate, skip))
    const repeated = found.find(({ problems }) => problems.length > 0) ?? found.find(({ chain }) => chain) ?? noJudgment
    if (repeated.chain) this.#open.remove(repeated.chain)
    return repeated
  }

  /** Stores a failed attempt as the latest of a chain. Returns undefined if the outcome is fine. */
  #storeFailed(
    latest: Attempt,
    former?: RetryChain,
    pauses: readonly number[] = [],
    onDropped?: (dropped: Attempt) => void,
  ): RetryChain | undefined {
    if (latest.outcome === 'fine') return undefined
    const { call, retryCount } = latest
    const isParallel = !retryCount && this.#open.identicalTo(call).some((other) => other.isParallel)
    const isStoredButLost = latest.outcome === 'lost' && latest.isStored
    const chain: RetryChain = {
      name: former?.name ?? String(latest.number).padStart(12, '0'), // so that findings sort in request order
      call,
      lastAttempts: [latest],
      isParallel: former?.isParallel ?? isParallel,
      isCorrection: former?.isCorrection ?? (retryCount ?? 0) > 0,
      pauses,
      stored: isStoredButLost ? latest : former?.stored,
    }
    for (const dropped of this.#open.store(chain)) onDropped?.(dropped)
    return chain
  }
}

/** Judges an attempt that is similar to those of a chain. The attempt may duplicate an event or continue the call. */
function judgeRepeat(chain: RetryChain, latest: Attempt, isSeparate: boolean, skip: Skip): Judgment {
  const last = chain.lastAttempts.at(-1)
  if (!last) return noJudgment
  const reason = isSeparate ? 'separate-events' : findReason(last, latest)
  if (reason === 'parallel' && latest.retryCount === undefined) chain.isParallel = true
  const pauses = addPause(last, chain.pauses, latest)
  if (reason === 'no-id' && chain.stored && latest.isStored)
    return { chain, previous: chain.stored, pauses, problems: [duplicateEvent] }
  const possible = judgeRetry(last, pauses, { ...latest, retryCount: 1 })
  if (possible.length > 0) skip(last, reason, possible)
  const isCounted = last.retryCount !== undefined || latest.retryCount !== undefined
  const isContinued = (reason === 'no-id' || reason === 'several-clients') && !isCounted
  return isContinued ? { chain, previous: last, pauses, problems: [] } : noJudgment
}

/** Returns why an attempt does not provably repeat a similar attempt that failed earlier. */
function findReason(last: Attempt, latest: Attempt): UnjudgedReason {
  const { insertId, event } = latest.call
  if (event !== last.call.event || (insertId !== undefined && insertId !== last.call.insertId)) return 'other-event'
  if (!canRetry(latest, last)) return 'parallel'
  if (last.steering !== latest.steering) return 'new-rules'
  return isSameSender(last, latest) ? 'no-id' : 'several-clients'
}

function mayRepeat({ receivedAt, kind, retryCount }: ReceivedRequest, before: JournalEntry): boolean {
  if (receivedAt <= before.receivedAt || receivedAt < before.endedAt - endToleranceMs) return false
  const isNext = retryCount === undefined || retryCount === (readRetryCount(before.request.headers) ?? 0) + 1
  return isNext && kind === callKind(before)
}
