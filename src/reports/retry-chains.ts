import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, isNewCall } from './attempts.ts'
import { type CallKey, callKind } from './call-key.ts'

/** A call that has failed and not yet succeeded. */
export interface RetryChain {
  /** The number of the chain's first request, which tells its findings apart from those of other chains. */
  readonly name: string
  readonly call: CallKey
  last: Attempt
  /**
   * True where an equal request of a client that does not count its retries was under way together with one of the chain: a first attempt
   * cannot be told from a retry.
   */
  isParallel: boolean
  /** The pauses before the latest retries, milliseconds, without those that follow a `Retry-After`. */
  pauses: readonly number[]
  /** True where a request with another `insertId`, or without one, counts as the retry of the last attempt. */
  isReplaced: boolean
  /** True where an attempt of an equal call may have been the retry of this one. */
  isContested: boolean
  /** True where a call with the same body and another `insertId` was under way together with this one. */
  hasTwin: boolean
}

/** The largest number of chains that are stored; a further chain evicts the chain whose latest attempt is oldest. */
const maxChains = 128

/** The calls of a sandbox that failed and have not succeeded since. Equal calls that were under way together have a chain each. */
export class RetryChains {
  /** The chain of the latest attempt is last. */
  readonly #chains = new Set<RetryChain>()

  /**
   * Removes expired chains, and returns true where a chain of the request's kind is left. This check without a digest spares most
   * requests the rest, since they continue no chain.
   */
  canContinue(entry: JournalEntry): boolean {
    if (this.#chains.size === 0) return false
    for (const chain of this.#chains) {
      // Chains are in the order of their latest attempts, so most after the first active chain are active, too; a later call removes the rest.
      if (!isNewCall(chain.last, entry.receivedAt - chain.last.endedAt)) break
      this.#chains.delete(chain)
    }
    const kind = callKind(entry)
    return [...this.#chains].some(({ call }) => call.kind === kind)
  }

  /** Returns the chains of a call. */
  ofCall({ key }: CallKey): readonly RetryChain[] {
    return [...this.#chains].filter(({ call }) => call.key === key)
  }

  /** Returns the chain whose latest attempt is the request of this id; undefined for none. */
  endingWith(id: string): RetryChain | undefined {
    return [...this.#chains].find(({ last }) => last.id === id)
  }

  /** Returns the chains of other calls that have the same body, apart from its `insertId`. */
  withBodyOf({ key, sameBody }: CallKey): readonly RetryChain[] {
    return [...this.#chains].filter(({ call }) => call.sameBody === sameBody && call.key !== key)
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
