import type { NotJudged, NotJudgedReason } from '../finding.ts'

/** Collects the requests about which nothing is said: one entry for each operation and reason. */
export class NotJudgedList {
  readonly #entries = new Map<string, NotJudged>()

  /** Adds a request; undefined: the whole operation is meant. */
  add(operation: string, reason: NotJudgedReason, sentence: string, request?: string): void {
    const key = `${operation} ${reason}`
    const earlier = this.#entries.get(key)
    const count = (earlier?.count ?? 0) + Number(request !== undefined)
    this.#entries.set(key, { ...(earlier ?? { operation, reason, sentence, request }), count })
  }

  list(): readonly NotJudged[] {
    return [...this.#entries.values()]
  }
}
