import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, isNewCall } from './attempts.ts'
import type { CallKey } from './call-key.ts'

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
    return this.ofKind(kind).length > 0
  }

  /** Returns the chains of the calls of a kind, those with the oldest attempts first. */
  ofKind(kind: string): readonly RetryChain[] {
    return [...this.#chains].filter(({ call }) => call.kind === kind)
  }

  /** Returns the chains whose latest attempt is, or may be, the request of this id. */
  endingWith(id: string): readonly RetryChain[] {
    return [...this.#chains].filter(({ lasts }) => lasts.some((last) => last.id === id))
  }

  /** Stores a chain, as that of the latest attempt. */
  store(chain: RetryChain): void {
    this.#chains.delete(chain)
    this.#chains.add(chain)
    const [oldest] = this.#chains
    if (this.#chains.size > maxChains && oldest) this.#chains.delete(oldest)
  }

  remove(chain: RetryChain): void {
    this.#chains.delete(chain)
  }
}
