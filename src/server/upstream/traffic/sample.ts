/**
 * Recorded exchanges with a service: samples from a HAR file, or the wire.
 * This file has the common type; `read-har.ts` reads files.
 */

export interface TrafficSample {
  readonly method: string
  readonly origin?: string
  /** Path and query as sent: `/v1/models/…/analytics?period=7d`. */
  readonly target: string
  readonly response: TrafficResponse | TrafficProblem
}

export interface TrafficResponse {
  readonly status: number
  /** Lower-case names; credentials are redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, or undefined if it is not recorded whole. An empty body has no bytes. */
  readonly body: Uint8Array | undefined
}

/** The reasons why a sample has no response of the service; `not-the-service`: convsim itself gave it. */
export type TrafficProblemKind =
  | 'time-out'
  | 'connection'
  | 'certificate'
  | 'too-large'
  | 'scenario'
  | 'not-the-service'

export interface TrafficProblem {
  readonly problem: TrafficProblemKind
  /** A sentence for people, with what to do next. */
  readonly sentence: string
}
