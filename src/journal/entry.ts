import type { Violation } from '../documents/violation.ts'
import type { Origin } from '../exchange/reply.ts'

/** A body as the journal keeps it. */
export interface RecordedBody {
  /** What was sent, at most as much as the journal keeps of a body; undefined where it had to make room. */
  readonly bytes: Uint8Array | undefined
  /** Bytes of the whole. */
  readonly size: number
}

/** One exchange as the journal keeps it: what was asked, what was answered, and what there is to say of it. */
export interface JournalEntry {
  /** `X-Request-Id`. */
  readonly id: string
  /** Counts the exchanges of the process from 1, in the order they were answered. */
  readonly number: number
  /** The machine's time of receipt, epoch milliseconds. */
  readonly at: number
  /** The sandbox's time of receipt, epoch milliseconds. */
  readonly now: number
  /** From receipt to the answer being ready, milliseconds; a deliberate delay comes on top. */
  readonly durationMs: number
  /** The deliberate delay before the answer is sent, milliseconds. */
  readonly delayMs: number
  readonly sandbox: string
  /** `operationId`; undefined where the request met none. */
  readonly operation: string | undefined
  readonly request: {
    /** Upper case. */
    readonly method: string
    /** As sent, with the sandbox's base path, without the query. */
    readonly path: string
    /** As sent, without the question mark; empty for none. */
    readonly query: string
    /** Lower-case names; credentials are redacted. */
    readonly headers: Readonly<Record<string, string>>
    /** Size 0 for none. */
    readonly body: RecordedBody
  }
  /** The client went away before the end of its body: nobody got the answer, and how the client goes on is not judged. */
  readonly aborted: boolean
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** As it was before `truncated` or `malformed-json` cut it. */
    readonly body: RecordedBody
    readonly origin: Origin
  }
  /** What acted on the request, as it was written: `slow;ms=200`. */
  readonly scenarios: readonly string[]
  /** What was done to the answer on purpose: `drop-field at /messageCount`, `reset`. */
  readonly damage: readonly string[]
  /** Rules of the contract that the request broke. */
  readonly violations: readonly Violation[]
  /** Rules of the contract that the answer breaks: damage on purpose, or a bug of ours that was kept back. */
  readonly answerViolations: readonly Violation[]
  /** What the service takes but a careful client would not send. */
  readonly advice: readonly Violation[]
}
