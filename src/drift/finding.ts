import type { Assumption, Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import type { TrafficProblemKind } from '../traffic/sample.ts'
import type { DriftKind } from './observation.ts'

/** A difference between the real service and the contract, in all answers that were judged. */
export interface DriftFinding {
  readonly operation: Operation
  readonly status: number
  /** JSON pointer in the body, with `*` for the items of an array; empty for the whole answer. */
  readonly pointer: string
  readonly kind: DriftKind
  /** The new name of a renamed field, the name of a header, or the value that an enum does not have; empty for other kinds. */
  readonly detail: string
  /** The number of answers that show it. */
  readonly seen: number
  /** The number of answers that could show it: those that have the place. */
  readonly of: number
  /** True: a client generated from the contract may fail. */
  readonly breaks: boolean
  /** False: a note, such as an optional field that was never seen; it decides no verdict. */
  readonly isDrift: boolean
  /** True: the published schema is kept; only a narrower rule of the simulator's own answers is broken. */
  readonly isSimulated: boolean
  /** The broken keyword of JSON Schema; empty for other rules. */
  readonly keyword: string
  /** A sentence without its subject: `must be a string; got null`. */
  readonly message: string
  readonly sample: FindingSample
  /** JSON pointer of the place in the contract; undefined: the contract has none. */
  readonly place: string | undefined
  /** The assumption that the finding settles; undefined: none stands at its place. */
  readonly assumption: Assumption | undefined
  /** Values at the place, of which a patch takes the types. */
  readonly values: readonly Json[]
}

/** The first answer that shows a finding. */
export interface FindingSample {
  /** The request, redacted: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
  /** The value at the place as JSON, redacted and cut; undefined: there is none. */
  readonly value: string | undefined
}

/** The reasons why something is not judged. */
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

/** Requests, a part of their answers, or a whole operation, about which nothing is said. */
export interface NotJudged {
  readonly operation: string
  readonly reason: NotJudgedReason
  /** The first request; undefined: the whole operation is meant. */
  readonly request: string | undefined
  /** The number of requests; 0: none was sent. */
  readonly count: number
  /** A sentence that says what to do. */
  readonly sentence: string
}

/** The verdict on the real service: it is as the contract says, it differs, or too little is known. */
export type DriftVerdict = 'same' | 'drift' | 'not-judged'

/** The outcome of a comparison. */
export interface DriftReport {
  readonly verdict: DriftVerdict
  readonly contract: { readonly title: string; readonly version: string; readonly file: string }
  /** The number of answers that were compared with their bodies, by operation. */
  readonly judged: ReadonlyMap<string, number>
  readonly findings: readonly DriftFinding[]
  /** The number of further differences, which are not listed. */
  readonly omitted: number
  readonly notJudged: readonly NotJudged[]
}
