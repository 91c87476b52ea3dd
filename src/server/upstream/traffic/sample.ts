/**
 * The common type of exchanges with a service, whether from a recording or from convsim's own requests.
 * `read-traffic-file.ts` reads files, and `read-har.ts` converts parsed HAR documents.
 */

export interface TrafficSample {
  readonly method: string
  readonly origin?: string
  /** The path and query, with credentials redacted, such as `/v1/models/…/analytics?period=7d`. */
  readonly target: string
  readonly response: TrafficResponse | TrafficProblem
}

export interface TrafficResponse {
  readonly status: number
  /** The headers by lower-case name, with credentials redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, with credentials redacted; undefined if it was not recorded completely. */
  readonly body: Uint8Array | undefined
}

/** Why a sample has no usable response from the service. `not-the-service`: convsim itself responded. */
export type TrafficProblemKind =
  | 'time-out'
  | 'connection'
  | 'certificate'
  | 'too-large'
  | 'scenario'
  | 'not-the-service'

export interface TrafficProblem {
  readonly problem: TrafficProblemKind
  /** A sentence for users that says what happened and, where possible, what to do next. */
  readonly sentence: string
}
