import type { Call } from './calls.ts'
import type { Chain } from './tries.ts'

/** Chains that are remembered; for one more, the one that nothing was heard of for longest is forgotten. */
const mostChains = 128

interface Kept {
  readonly chain: Chain
  readonly sameBody: string
}

/** The calls of a sandbox that failed and have not succeeded since. */
export class Chains {
  /** By the idempotency key, else by the body; the chain that was continued last at the end. */
  readonly #kept = new Map<string, Kept>()
  /** By the body, the key of the latest chain that has it: a retry may come with another idempotency key. */
  readonly #keyOfBody = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  /** The chain that the call continues: the one of its idempotency key, else the latest of its body. */
  find(call: Call): Chain | undefined {
    return this.#kept.get(this.#foundUnder(call))?.chain
  }

  /** Begins a chain beside all others, or puts a chain of exactly this key in place of what it was. */
  keep(call: Call, chain: Chain): void {
    const key = keyOf(call)
    this.#forget(key)
    this.#kept.set(key, { chain, sameBody: call.sameBody })
    this.#keyOfBody.set(call.sameBody, key)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > mostChains && oldest !== undefined) this.#forget(oldest)
  }

  /** Forgets the chain that the call continues. */
  drop(call: Call): void {
    this.#forget(this.#foundUnder(call))
  }

  #foundUnder(call: Call): string {
    const key = keyOf(call)
    return this.#kept.has(key) ? key : (this.#keyOfBody.get(call.sameBody) ?? key)
  }

  #forget(key: string): void {
    const sameBody = this.#kept.get(key)?.sameBody
    this.#kept.delete(key)
    if (sameBody !== undefined && this.#keyOfBody.get(sameBody) === key) this.#keyOfBody.delete(sameBody)
  }
}

function keyOf({ sameBody, sameId }: Call): string {
  return sameId ?? sameBody
}
