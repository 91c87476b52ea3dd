import type { Json, Violation } from '../../base/core/json.ts'
import type { Operation, ParameterValues, RawParameters } from '../../service/contract/contract.ts'
import type { DeliveryOutcome, Origin } from '../../service/exchange/reply.ts'
import type { Connection, Expectation } from '../../service/exchange/request.ts'
import type { RuleReference } from '../../service/scenarios/rules.ts'

export interface RecordedBody {
  /** The stored bytes, a character for each; undefined if they were evicted or could not be read. */
  readonly latin1: string | undefined
  /** The bytes of the whole body; 0 for none. */
  readonly size: number
  /** True for a whole body that another process shared, whose length a redaction may have changed. */
  readonly isWhole?: boolean
}

/** One exchange as the journal stores it: a plain value that never changes. */
export interface JournalEntry {
  /** The request id, as `X-Request-Id` has it. */
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
  /** The time at which the connection was opened, by the same clock; undefined for its later requests. */
  readonly openedAt: number | undefined
  readonly connection?: Connection | undefined
  /** The time at which status and headers of the response were sent, by the same clock; undefined: they were not. */
  readonly headSentAt: number | undefined
  /** The time at which the delivery of the response ended, by the same clock. */
  readonly endedAt: number
  readonly sandbox: string
  /** The `operationId`; undefined where the request matches no operation. */
  readonly operation: string | undefined
  readonly request: {
    readonly isEncrypted?: boolean | undefined
    readonly method: string
    /** The path as sent, with the sandbox's base path `/_s/NAME`, without the query. */
    readonly path: string
    /** The query as sent, without the question mark; empty for none. */
    readonly query: string
    /** Lower-case names; credentials are redacted. */
    readonly headers: Readonly<Record<string, string>>
    readonly body: RecordedBody
  }
  /**
   * The request's own token, or without one its API key in a header that the contract declares; undefined if none was
   * sent, or one too short to be redacted. It is redacted wherever bodies and messages are shown.
   */
  readonly ownToken: string | undefined
  /** The hash of the token of `Authorization` in a shared journal, which tells the callers of all replicas apart. */
  readonly caller?: string
  /** The header `Authorization`, if sent, which tells callers apart. It is never shown itself. */
  readonly authorization: string | undefined
  /** Is true if the client closed the connection before the end of its body, so that the reports do not judge it. */
  readonly aborted: boolean
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The body before the delivery `truncated` or `malformed-json` cut it. */
    readonly body: RecordedBody
    readonly origin: Origin
  }
  readonly delivery: DeliveryOutcome
  /** Is true if the client closed the connection before the simulator had sent the response or damaged it. */
  readonly hasClientLeft: boolean
  /** The stage of the pipeline that responded: `validate`. */
  readonly stage: string
  readonly rule: RuleReference | undefined
  /** What scenarios, rules and chance decided, as sentences in their order; undefined: none did. */
  readonly decisions: readonly string[] | undefined
  /** The scenarios that acted on the request, as they were written: `slow;ms=200`. */
  readonly scenarios: readonly string[]
  /** The rules of the sandbox and the headers that steered the request; empty for neither. The clock is left out. */
  readonly steering: string
  /** The outcome that was declared for a negative test; undefined for none. */
  readonly expectation: Expectation | undefined
  /** The id of the recorded request that this one repeats, as the console does. The reports leave it out. */
  readonly replayOf: string | undefined
  /** The deliberate damage to the response: `drop-field at /messageCount`, `reset`. */
  readonly damage: readonly string[]
  readonly violations: readonly Violation[]
  /** Rules of the contract that the response breaks, by deliberate damage or by a bug of the simulator. */
  readonly responseViolations: readonly Violation[]
  /** Warnings about what the service accepts and a careful client does not send. */
  readonly advice: readonly Violation[]
}

export type DeliveryEnd = Pick<JournalEntry, 'delivery' | 'hasClientLeft' | 'headSentAt' | 'endedAt'>

/** The parsed parts of an exchange while it is recorded, so that listeners need not parse the bodies again. */
export interface LiveExchange {
  /** The parsed request body; undefined where the request has none, or no stage parsed it. */
  readonly requestBody: Json | undefined
  /** The response's body, with damage; undefined where it has none. */
  readonly responseBody: Json | undefined
  /** The matching operation, if any; undefined in the listeners of a shared journal. */
  readonly operation: Operation | undefined
  /** The parameters as they were sent; path parameters only where the request matches an operation. */
  readonly rawParameters: RawParameters
  /** The parameters as values; undefined where no stage read them. */
  readonly parameters: ParameterValues | undefined
  /** The bearer token if one was sent, in a shared journal its hash: it tells callers apart. No listener stores it. */
  readonly token: string | undefined
  /** Is true if another replica handled the request. */
  readonly isForeign?: boolean
  /** Is true if the journal has called its listeners with the exchange before, with another end of its delivery. */
  readonly isCorrection?: boolean
}

export type Recorded = readonly [entry: JournalEntry, live: LiveExchange]

/** The record of one exchange of this process, from its reply to the end of its connection. */
export interface ExchangeRecord {
  /**
   * Stores the exchange before its reply is sent, with the expected end of its delivery, so that a client with a
   * response finds it through any replica. Rejects where the shared store does not respond, and then only this process
   * has the exchange. Absent in a journal of one process.
   */
  readonly announce?: (expected: Recorded) => Promise<void>
  /** Records the end of the delivery. Returns the recorded exchange, which `create` creates if it was not announced. */
  end(end: DeliveryEnd, create: () => Recorded): Recorded
  /** Corrects the recorded end: the client may not have read its response. */
  correct(corrected: Recorded): void
}
