import type { TrafficProblemKind } from '../../../server/upstream/traffic/sample.ts'

export type NotJudgedReason =
  | TrafficProblemKind
  | 'redirect'
  | 'unauthorized'
  | 'rate-limited'
  | 'too-few-samples'
  | 'unreadable'
  | 'too-many-members'
  | 'check-stopped'
  | 'not-probed'
  | 'no-traffic'

export interface NotJudged {
  readonly operation: string
  readonly reason: NotJudgedReason
  /** The first request; undefined: the whole operation is meant. */
  readonly request: string | undefined
  /** The number of such requests; 0: the whole operation is meant. */
  readonly count: number
  readonly sentence: string
}

/** Collects the requests about which nothing is said: one entry for each operation and reason. */
export class NotJudgedList {
  readonly #entries = new Map<string, NotJudged>()

  add(operation: string, reason: NotJudgedReason, sentence: string, request?: string): void {
    const key = `${operation} ${reason}`
    const earlier = this.#entries.get(key) ?? { operation, reason, sentence, request, count: 0 }
    this.#entries.set(key, { ...earlier, count: earlier.count + Number(request !== undefined) })
  }

  list(): NotJudged[] {
    return [...this.#entries.values()]
  }
}
