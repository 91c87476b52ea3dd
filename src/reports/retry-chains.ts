import type { JournalEntry } from '../journal/entry.ts'
import { isExpired, type RetryChain } from './attempts.ts'
import { type CallKey, callKind } from './call-key.ts'
import { sentAtOf } from './sent-at.ts'

/** The largest number of chains that are stored; a further chain evicts the chain whose latest attempt is oldest. */
const maxChains = 128

interface StoredChain {
  readonly chain: RetryChain
  readonly sameBody: string
  readonly kind: string
}

/** The calls of a sandbox that failed and have not succeeded since. */
export class RetryChains {
  /** The chains by idempotency key, or by body where there is none; the chain of the latest attempt is last. */
  readonly #byKey = new Map<string, StoredChain>()
  /** The key of the latest chain by its body, since a retry can have another idempotency key. */
  readonly #keyByBody = new Map<string, string>()
  /** The number of chains by kind of call. */
  readonly #countByKind = new Map<string, number>()

  /**
   * Removes expired chains, and returns true where a chain of the request's kind is left. This check without a digest spares most
   * requests the rest, since they continue no chain.
   */
  canContinue(entry: JournalEntry): boolean {
    if (this.#byKey.size === 0) return false
    const sentAt = sentAtOf(entry)
    for (const [key, { chain }] of this.#byKey) {
      // Chains are in the order of their latest attempts, so most after the first active chain are active, too; a later call removes the rest.
      if (!isExpired(chain, sentAt)) break
      this.#removeKey(key)
    }
    return this.#countByKind.has(callKind(entry))
  }

  /** Returns the chain that a call continues: the one of its idempotency key, or the latest of its body; undefined for none. */
  find(call: CallKey): RetryChain | undefined {
    return this.#byKey.get(this.#findKey(call))?.chain
  }

  /** Stores a chain, in place of the chain with exactly the same key. */
  store(call: CallKey, chain: RetryChain): void {
    const key = chainKey(call)
    this.#removeKey(key)
    this.#byKey.set(key, { chain, sameBody: call.sameBody, kind: call.kind })
    this.#countByKind.set(call.kind, (this.#countByKind.get(call.kind) ?? 0) + 1)
    this.#keyByBody.set(call.sameBody, key)
    const [oldest] = this.#byKey.keys()
    if (this.#byKey.size > maxChains && oldest !== undefined) this.#removeKey(oldest)
  }

  /** Removes the chain that a call continues. */
  remove(call: CallKey): void {
    this.#removeKey(this.#findKey(call))
  }

  #findKey(call: CallKey): string {
    const key = chainKey(call)
    return this.#byKey.has(key) ? key : (this.#keyByBody.get(call.sameBody) ?? key)
  }

  #removeKey(key: string): void {
    const stored = this.#byKey.get(key)
    if (!stored) return
    this.#byKey.delete(key)
    if (this.#keyByBody.get(stored.sameBody) === key) this.#keyByBody.delete(stored.sameBody)
    const others = (this.#countByKind.get(stored.kind) ?? 1) - 1
    if (others > 0) this.#countByKind.set(stored.kind, others)
    else this.#countByKind.delete(stored.kind)
  }
}

function chainKey({ sameBody, sameId }: CallKey): string {
  return sameId ?? sameBody
}
