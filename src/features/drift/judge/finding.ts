import type { Json } from '../../../base/core/json.ts'
import type { TrafficProblemKind } from '../../../server/upstream/traffic/sample.ts'
import type { Assumption, Operation } from '../../../service/contract/contract.ts'
import type { Observation } from '../observe/observation.ts'

/** A difference between the real service and the contract, in all responses that were judged. */
export interface DriftFinding extends Omit<Observation, 'value'> {
  readonly operation: Operation
  readonly status: number
  readonly seen: number
  /** The number of responses that could show it: those that have the place. */
  readonly of: number
  /** Is true if a client generated from the contract may fail. */
  readonly breaks: boolean
  /** Is false for a note, such as an optional field that was never seen, which decides no verdict. */
  readonly isDrift: boolean
  /** The first response that shows it: its request, and the value as JSON; both redacted, the value cut. */
  readonly sample: { readonly request: string; readonly value: string | undefined }
  /** JSON pointer of the place in the contract. */
  readonly place: string
  /** The assumption that the finding settles; undefined: none stands at its place. */
  readonly assumption: Assumption | undefined
  /** Values at the place, of which a patch takes the types. */
  readonly values: readonly Json[]
}

export type NotJudgedReason =
  | TrafficProblemKind
  | 'unauthorized'
  | 'rate-limited'
  | 'too-few-samples'
  | 'unreadable'
  | 'too-many-members'
  | 'check-stopped'
  | 'too-many-entries'
  | 'not-probed'
  | 'no-traffic'

/** Requests, a part of their responses, or a whole operation, about which nothing is said. */
export interface NotJudged {
  readonly operation: string
  readonly reason: NotJudgedReason
  /** The first request; undefined: the whole operation is meant. */
  readonly request: string | undefined
  /** The number of requests; 0: none was sent. */
  readonly count: number
  readonly sentence: string
}

/** Collects the requests about which nothing is said: one entry for each operation and reason. */
export class NotJudgedList {
  readonly #entries = new Map<string, Omit<NotJudged, 'sentence'> & { readonly sentence: string | (() => string) }>()

  /** Adds a request; without one the whole operation is meant. A function is called when all requests are known. */
  add(operation: string, reason: NotJudgedReason, sentence: string | (() => string), request?: string): void {
    const key = `${operation} ${reason}`
    const earlier = this.#entries.get(key) ?? { operation, reason, sentence, request, count: 0 }
    this.#entries.set(key, { ...earlier, count: earlier.count + Number(request !== undefined) })
  }

  list(): NotJudged[] {
    return [...this.#entries.values()].map(({ sentence, ...others }) => ({
      ...others,
      sentence: typeof sentence === 'string' ? sentence : sentence(),
    }))
  }
}

export interface DriftReport {
  /** The real service is as the contract says, it differs, or too little is known. */
  readonly verdict: 'same' | 'drift' | 'not-judged'
  readonly contract: { readonly title: string; readonly version: string; readonly file: string }
  /** The number of responses that were compared with their bodies, by operation. */
  readonly judged: ReadonlyMap<string, number>
  readonly findings: readonly DriftFinding[]
  /** The number of further differences, which are not listed. */
  readonly omitted: number
  readonly notJudged: readonly NotJudged[]
}
