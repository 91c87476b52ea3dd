import type { JournalEntry } from '../journal/entry.ts'
import { isOver, type RetryChain } from './attempts.ts'
import { type CallKey, kindOf } from './call-key.ts'

/** Chains that are remembered; for one more, the one that nothing was heard of for longest is forgotten. */
const mostChains = 128

interface Kept {
  readonly chain: RetryChain
  readonly sameBody: string
  readonly kind: string
}

/** The calls of a sandbox that failed and have not succeeded since. */
export class RetryChains {
  /** By the idempotency key, else by the body; the chain that was continued last at the end. */
  readonly #kept = new Map<string, Kept>()
  /** By the body, the key of the latest chain that has it: a retry may come with another idempotency key. */
  readonly #keyOfBody = new Map<string, string>()
  /** How many chains there are of each kind of call. */
  readonly #kinds = new Map<string, number>()

  /** Whether a request may continue a chain, by its kind and its time: most need not be looked at more closely. */
  mayContinue(entry: JournalEntry): boolean {
    if (this.#kept.size === 0) return false
    for (const [key, { chain }] of this.#kept) {
      // In the order in which they were continued: behind one that is not over there is none, but for long waits.
      if (!isOver(chain, entry.at)) break
      this.#forget(key)
    }
    return this.#kinds.has(kindOf(entry))
  }

  /** The chain that the call continues: the one of its idempotency key, else the latest of its body. */
  find(call: CallKey): RetryChain | undefined {
    return this.#kept.get(this.#foundUnder(call))?.chain
  }

  /** Begins a chain beside all others, or puts a chain of exactly this key in place of what it was. */
  keep(call: CallKey, chain: RetryChain): void {
    const key = keyOf(call)
    this.#forget(key)
    this.#kept.set(key, { chain, sameBody: call.sameBody, kind: call.kind })
    this.#kinds.set(call.kind, (this.#kinds.get(call.kind) ?? 0) + 1)
    this.#keyOfBody.set(call.sameBody, key)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > mostChains && oldest !== undefined) this.#forget(oldest)
  }

  /** Forgets the chain that the call continues. */
  drop(call: CallKey): void {
    this.#forget(this.#foundUnder(call))
  }

  #foundUnder(call: CallKey): string {
    const key = keyOf(call)
    return this.#kept.has(key) ? key : (this.#keyOfBody.get(call.sameBody) ?? key)
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    if (this.#keyOfBody.get(kept.sameBody) === key) this.#keyOfBody.delete(kept.sameBody)
    const others = (this.#kinds.get(kept.kind) ?? 1) - 1
    if (others > 0) this.#kinds.set(kept.kind, others)
    else this.#kinds.delete(kept.kind)
  }
}

function keyOf({ sameBody, sameId }: CallKey): string {
  return sameId ?? sameBody
}
