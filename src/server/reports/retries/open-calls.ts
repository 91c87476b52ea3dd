import { type Attempt, type CallKey, canRetry, endToleranceMs, type LookupKeys } from './attempt.ts'

/** A call that has failed and has not yet succeeded. */
export interface RetryChain {
  /** The number of the chain's first request, which distinguishes its findings from those of other chains. */
  readonly name: string
  readonly call: CallKey
  /** The latest attempt or, if identical calls were concurrent, every attempt that may be the latest. */
  lastAttempts: readonly Attempt[]
  /** True if an identical request was concurrent with an attempt. In that case, only a retry count proves a retry. */
  isParallel: boolean
  /** True if the first attempt claims to be a retry, perhaps of a refused call with a different body. */
  readonly isCorrection: boolean
  /** The pauses in milliseconds before the latest retries, excluding pauses after a `Retry-After`. */
  pauses: readonly number[]
  /** The attempt whose event was stored although its response was lost; undefined if there is none. */
  readonly stored: Attempt | undefined
}

/** The failed attempts that a proven retry may repeat. */
export interface RetryTargets {
  /** The chains that the retry may continue, in the order of their latest attempts. */
  readonly candidates: readonly [RetryChain, ...RetryChain[]]
  /** The repeated attempt or, if identical calls were concurrent, every attempt that may be the repeated one. */
  readonly targets: readonly [Attempt, ...Attempt[]]
  /** False if the retry may repeat an attempt that is not in `targets`. */
  readonly isCertain: boolean
}

/** The maximum number of calls to compare an attempt with. Comparing all failed calls would take quadratic time. */
const maxSimilar = 64

/**
 * A sandbox's calls that have failed and have not yet succeeded, except dropped calls. Identical concurrent calls have
 * separate chains.
 */
export class OpenCalls {
  /** The chains by key. In each list, the chain with the latest attempt is last. */
  readonly #lists = new Map<string, Set<RetryChain>>()
  readonly #reach: number

  /** A call is dropped `reach` exchanges after its latest attempt. */
  constructor(reach: number) {
    this.#reach = reach
  }

  hasKind(kind: string): boolean {
    return this.#lists.has(kind)
  }

  /** Returns true if `similarTo` would return any chains. */
  hasSimilar({ key, content }: LookupKeys): boolean {
    return this.#lists.has(key) || this.#lists.has(content)
  }

  #chainsOf(key: string): readonly RetryChain[] {
    return [...(this.#lists.get(key) ?? [])]
  }

  identicalTo({ key }: CallKey): readonly RetryChain[] {
    return this.#chainsOf(key)
  }

  /** Returns the latest chains with the call's `insertId`, or with the same body apart from ID, times and counters. */
  similarTo({ key, content }: CallKey): readonly RetryChain[] {
    return [...new Set([...this.#chainsOf(content).slice(-maxSimilar), ...this.#chainsOf(key).slice(-maxSimilar)])]
  }

  /** Returns the chains whose latest attempt is, or may be, the request with this ID. */
  endingWith(id: string): readonly RetryChain[] {
    return this.#chainsOf(all).filter(({ lastAttempts }) => lastAttempts.some((last) => last.id === id))
  }

  /** Stores a chain as the latest. Drops chains that are too old. Returns their last attempts, except refused ones. */
  store(chain: RetryChain): readonly Attempt[] {
    for (const key of keysOf(chain)) {
      const list = this.#lists.get(key) ?? new Set()
      this.#lists.set(key, list)
      list.delete(chain)
      list.add(chain)
    }
    const dropped: Attempt[] = []
    const latestNumber = Math.max(...chain.lastAttempts.map(({ number }) => number))
    for (const oldest of this.#lists.get(all) ?? []) {
      if (oldest.lastAttempts.some(({ number }) => latestNumber - number < this.#reach)) break
      this.remove(oldest)
      dropped.push(...oldest.lastAttempts.filter(({ outcome }) => outcome !== 'refused'))
    }
    return dropped
  }

  remove(chain: RetryChain): void {
    for (const key of keysOf(chain)) {
      const list = this.#lists.get(key)
      list?.delete(chain)
      if (list?.size === 0) this.#lists.delete(key)
    }
  }

  /** Returns the attempts, if any, that `latest` repeats, as proven by its retry count or `insertId`. */
  findRetried(latest: Attempt): RetryTargets | undefined {
    const { retryCount = 0, call } = latest
    const identical = this.identicalTo(call)
    if (retryCount === 0)
      return call.insertId === undefined ? undefined : pickRetried(identical, (before) => canRetry(latest, before))
    const isRetried = (before: Attempt) => countOf(before) === retryCount - 1 && hasEnded(before, latest)
    const similar = this.#chainsOf(call.content)
    const identicalTargets = pickRetried(identical, isRetried)
    const retried = identicalTargets ?? pickRetried(similar, isRetried)
    if (!retried) return undefined
    const chains = identicalTargets ? identical : similar
    const isComplete = chains.every(({ lastAttempts }) => lastAttempts.every((last) => countOf(last) >= retryCount - 1))
    const isCertain = isComplete && chains.length <= maxSimilar && !this.#mayCorrect(retried, isRetried)
    return { ...retried, isCertain }
  }

  /** Returns true if the retry may instead correct a refused call that was received after the first target. */
  #mayCorrect({ targets: [first], candidates }: RetryTargets, isRetried: (before: Attempt) => boolean): boolean {
    if (!candidates.some(({ isCorrection }) => isCorrection)) return false
    const later = this.#chainsOf(first.call.kind).flatMap(({ lastAttempts }) => lastAttempts)
    return later.some((last) => last.outcome === 'refused' && last.receivedAt > first.receivedAt && isRetried(last))
  }
}

/** The key of the list of all chains. */
const all = ''

const keysOf = ({ call: { kind, key, content } }: RetryChain) => new Set([all, kind, key, content])

const countOf = ({ retryCount = 0 }: Attempt) => retryCount // some clients send the count only with retries

function hasEnded({ endedAt }: Attempt, { receivedAt }: Attempt): boolean {
  return receivedAt >= endedAt - endToleranceMs
}

function pickRetried(chains: readonly RetryChain[], isRetried: (before: Attempt) => boolean): RetryTargets | undefined {
  const [chain, ...others] = chains.filter(({ lastAttempts }) => lastAttempts.some(isRetried))
  if (!chain) return undefined
  const candidates = [chain, ...others] as const
  const [first, ...more] = new Set(candidates.flatMap(({ lastAttempts }) => lastAttempts.filter(isRetried)))
  return first && { candidates, targets: [first, ...more], isCertain: true }
}
