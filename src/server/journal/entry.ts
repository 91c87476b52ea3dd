import type { Json, Violation } from '../../base/core/json.ts'
import type { Operation, ParameterValues, RawParameters } from '../../service/contract/contract.ts'
import type { DeliveryOutcome, Origin } from '../../service/exchange/reply.ts'
import type { Connection, Expectation } from '../../service/exchange/request.ts'
import type { RuleReference } from '../../service/scenarios/rules.ts'

export interface RecordedBody {
  /** The stored bytes, one character each; undefined if they were evicted or could not be read. */
  readonly latin1: string | undefined
  /** The number of bytes of the whole body; 0 if there is none. */
  readonly size: number
  /** True for a whole body from another process; redaction may have changed its length. */
  readonly isWhole?: boolean
}

/** An exchange as stored in the journal: a plain, immutable value. */
export interface JournalEntry {
  /** The request id, the value of `X-Request-Id`. */
  readonly id: string
  /** The position among the exchanges of the process, from 1, in the order in which their deliveries ended. */
  readonly number: number
  /** The machine's time of receipt, epoch milliseconds. */
  readonly at: number
  /** The sandbox's time of receipt, epoch milliseconds. */
  readonly now: number
  /** Milliseconds from the receipt until the response is ready, without `delayMs`. */
  readonly durationMs: number
  /** The deliberate delay before the response is sent, milliseconds. */
  readonly delayMs: number
  /** The time of receipt by the process's monotonic clock, milliseconds. */
  readonly receivedAt: number
  /** When the connection was opened, by the same clock; undefined for later requests on it. */
  readonly openedAt: number | undefined
  readonly connection?: Connection | undefined
  /** When status and headers were sent, by the same clock; undefined if they were not. */
  readonly headSentAt: number | undefined
  /** When the delivery of the response ended, by the same clock. */
  readonly endedAt: number
  readonly sandbox: string
  /** The `operationId`; undefined if the request matches no operation. */
  readonly operation: string | undefined
  readonly request: {
    readonly isEncrypted?: boolean | undefined
    readonly method: string
    /** The path as sent, including the sandbox's base path `/_s/NAME`, without the query. */
    readonly path: string
    /** The query as sent, without the question mark; empty if there is none. */
    readonly query: string
    /** Lower-case names; credentials are redacted. */
    readonly headers: Readonly<Record<string, string>>
    readonly body: RecordedBody
  }
  /**
   * The request's token or, without one, the API key in a header that the contract declares; undefined if none was
   * sent, or if it is too short to redact. It is redacted wherever bodies and messages are shown.
   */
  readonly ownToken: string | undefined
  /** In a shared journal, the hash of the token of `Authorization`, which distinguishes callers across replicas. */
  readonly caller?: string
  /** The header `Authorization`, if sent, which distinguishes callers. It is never shown. */
  readonly authorization: string | undefined
  /** True if the client closed the connection before the end of its body, so that reports do not judge it. */
  readonly aborted: boolean
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The body before the delivery `truncated` or `malformed-json` damaged it. */
    readonly body: RecordedBody
    readonly origin: Origin
  }
  readonly delivery: DeliveryOutcome
  /** True if the client closed the connection before the simulator had sent or damaged the response. */
  readonly hasClientLeft: boolean
  /** The stage of the pipeline that responded: `validate`. */
  readonly stage: string
  readonly rule: RuleReference | undefined
  /** The decisions of scenarios, rules and chance, as sentences in order; undefined if there are none. */
  readonly decisions: readonly string[] | undefined
  /** The scenarios that acted on the request, as written: `slow;ms=200`. */
  readonly scenarios: readonly string[]
  /** The sandbox's rules and the headers that controlled the request, except the clock; empty if there are none. */
  readonly steering: string
  /** The outcome declared for a negative test, if any. */
  readonly expectation: Expectation | undefined
  /** The id of the recorded request that this one repeats, sent by the console. Reports ignore it. */
  readonly replayOf: string | undefined
  /** The deliberate damage to the response: `drop-field at /messageCount`, `reset`. */
  readonly damage: readonly string[]
  readonly violations: readonly Violation[]
  /** Rules of the contract that the response breaks, by deliberate damage or by a bug of the simulator. */
  readonly responseViolations: readonly Violation[]
  /** Warnings about things that the service accepts but a careful client does not send. */
  readonly advice: readonly Violation[]
}

export type DeliveryEnd = Pick<JournalEntry, 'delivery' | 'hasClientLeft' | 'headSentAt' | 'endedAt'>

/** The parsed parts of an exchange while it is recorded, so that listeners need not parse bodies again. */
export interface LiveExchange {
  /** The parsed request body; undefined if there is none, or no stage parsed it. */
  readonly requestBody: Json | undefined
  /** The response body with any deliberate damage; undefined if there is none. */
  readonly responseBody: Json | undefined
  /** The matching operation, if any; undefined in the listeners of a shared journal. */
  readonly operation: Operation | undefined
  /** The parameters as sent; path parameters only if the request matches an operation. */
  readonly rawParameters: RawParameters
  /** The parameters as values; undefined if no stage read them. */
  readonly parameters: ParameterValues | undefined
  /** The bearer token, if sent, which distinguishes callers; in a shared journal, its hash. No listener stores it. */
  readonly token: string | undefined
  /** True if another replica handled the request. */
  readonly isForeign?: boolean
  /** True if the journal has already called its listeners with this exchange, with a different end of its delivery. */
  readonly isCorrection?: boolean
}

export type Recorded = readonly [entry: JournalEntry, live: LiveExchange]

/** The record of one exchange of this process, from its reply to the end of its connection. */
export interface ExchangeRecord {
  /**
   * Stores the exchange before its reply is sent, with the expected end of its delivery, so that a client that has the
   * response finds the exchange through any replica. Rejects if the shared store does not respond; then only this
   * process has the exchange. Absent in a journal of one process.
   */
  readonly announce?: (expected: Recorded) => Promise<void>
  /** Records the end of the delivery. Returns the recorded exchange; `create` creates it if it was not announced. */
  end(end: DeliveryEnd, create: () => Recorded): Recorded
  /** Corrects the recorded end: the client may not have read its response. */
  correct(corrected: Recorded): void
}
