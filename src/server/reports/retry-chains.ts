import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, type CallKey, canRetry, immediateMs, isNewCall } from './attempts.ts'

/** A call that has failed and not yet succeeded. */
export interface RetryChain {
  /** The number of the chain's first request, which tells its findings apart from those of other chains. */
  readonly name: string
  readonly call: CallKey
  /** The latest attempt; several where it may be any of them, since equal calls were under way together. */
  lasts: readonly Attempt[]
  /** True where an equal request was under way together with one of the chain, so that retries cannot be told. */
  isParallel: boolean
  /** Is true if the first attempt says that it is a retry, perhaps of another, refused call with a changed body. */
  readonly isCorrection: boolean
  /** The pauses before the latest retries, milliseconds, without those that follow a `Retry-After`. */
  pauses: readonly number[]
}

/** The failed tries of which an attempt is a retry. */
export interface RetriedTries {
  /** The chains that the attempt may continue, the oldest first. */
  readonly candidates: readonly [RetryChain, ...RetryChain[]]
  /** The failed tries of which one was tried again: several where equal calls are under way together. */
  readonly tries: readonly [Attempt, ...Attempt[]]
  /** False where the attempt before may be one that is not known yet. */
  readonly isCertain: boolean
}

/** The largest number of chains that are stored; a further chain evicts the chain whose latest attempt is oldest. */
const maxChains = 128

/** The calls of a sandbox that failed and have not succeeded since. Equal parallel calls have a chain each. */
export class RetryChains {
  /** The chain of the latest attempt is last. */
  readonly #chains = new Set<RetryChain>()

  /** Removes expired chains, and returns true where one of the request's kind is left, which spares most a digest. */
  canContinue(kind: string, { receivedAt }: JournalEntry): boolean {
    for (const chain of this.#chains) {
      // Chains are in the order of their latest attempts: most after the first active one are active, too.
      if (!chain.lasts.every((last) => isNewCall(last, receivedAt - last.endedAt))) break
      this.#chains.delete(chain)
    }
    return this.#ofKind(kind).length > 0
  }

  #ofKind(kind: string): readonly RetryChain[] {
    return [...this.#chains].filter(({ call }) => call.kind === kind)
  }

  equalTo({ kind, key }: CallKey): readonly RetryChain[] {
    return this.#ofKind(kind).filter(({ call }) => call.key === key)
  }

  /** Returns the chains whose latest attempt is, or may be, the request of this id. */
  endingWith(id: string): readonly RetryChain[] {
    return [...this.#chains].filter(({ lasts }) => lasts.some((last) => last.id === id))
  }

  store(chain: RetryChain): void {
    this.#chains.delete(chain)
    this.#chains.add(chain)
    const [oldest] = this.#chains
    if (this.#chains.size > maxChains && oldest) this.#chains.delete(oldest)
  }

  remove(chain: RetryChain): void {
    this.#chains.delete(chain)
  }

  /** Returns the tries that an attempt repeats; undefined: it begins a call. A client's own count comes first. */
  findRetried(latest: Attempt): RetriedTries | undefined {
    const { retryCount } = latest
    const { kind, key, event, content } = latest.call
    const chains = this.#ofKind(kind)
    const equal = chains.filter(({ call }) => call.key === key)
    if (retryCount === undefined) {
      const isRetried = (before: Attempt) => before.retryCount === undefined && canRetry(latest, before)
      const sameEvent = chains.filter(({ call }) => event !== undefined && call.event === event)
      return pickRetried(equal, isRetried) ?? pickRetried(sameEvent, isRetried)
    }
    if (retryCount === 0) return undefined
    const isRetried = (before: Attempt) => countOf(before) === retryCount - 1 && hasEnded(before, latest)
    const alike = chains.filter(({ call }) => call.content === content)
    const ownTries = pickRetried(equal, isRetried)
    const retried = ownTries ?? pickRetried(alike, isRetried)
    if (!retried) return undefined
    const others = ownTries ? equal : alike
    const isComplete = others.every(({ lasts }) => lasts.every((last) => countOf(last) >= retryCount - 1))
    const refused = chains.flatMap(({ lasts }) => lasts.filter((last) => last.outcome === 'refused' && isRetried(last)))
    return { ...retried, isCertain: isComplete && !mayCorrect(refused, retried) }
  }
}

const countOf = ({ retryCount = 0 }: Attempt) => retryCount // some clients count from the first retry on

/** Returns true if an attempt had ended when another arrived. A client knows that it gives up before we do. */
function hasEnded({ endedAt }: Attempt, { receivedAt }: Attempt): boolean {
  return receivedAt >= endedAt - immediateMs
}

/** Returns true where an attempt may be the correction of a refused one, as the tries were of one refused before. */
function mayCorrect(refused: readonly Attempt[], { tries: [first], candidates }: RetriedTries): boolean {
  const isLater = ({ receivedAt }: Attempt) => receivedAt > first.receivedAt
  return candidates.some(({ isCorrection }) => isCorrection) && refused.some(isLater)
}

function pickRetried(chains: readonly RetryChain[], isRetried: (before: Attempt) => boolean): RetriedTries | undefined {
  const [chain, ...others] = chains.filter(({ lasts }) => lasts.some(isRetried))
  if (!chain) return undefined
  const candidates = [chain, ...others] as const
  const [first, ...more] = new Set(candidates.flatMap(({ lasts }) => lasts.filter(isRetried)))
  return first && { candidates, tries: [first, ...more], isCertain: true }
}
