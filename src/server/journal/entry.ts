import type { Json, Violation } from '../../base/core/json.ts'
import type { Operation, ParameterValues, RawParameters } from '../../service/contract/contract.ts'
import type { DeliveryOutcome, Origin } from '../../service/exchange/reply.ts'
import type { Connection, Expectation } from '../../service/exchange/request.ts'
import type { AppliedRule } from '../../service/scenarios/rules.ts'

export interface RecordedBody {
  /** The stored bytes, one character each; undefined or empty if no bytes are stored, for example after eviction. */
  readonly latin1: string | undefined
  /** The size of the whole body in bytes; 0 if there is no body, or if its size is unknown. */
  readonly size: number
  /** Defined only in a shared journal, where redaction can change the length: true if the body was stored whole. */
  readonly isWhole?: boolean
}

/** An exchange as stored in the journal. An entry never changes, except that eviction removes the bytes of bodies. */
export interface JournalEntry {
  /** The request ID, which is also the value of `X-Request-Id`. */
  readonly id: string
  /** The sequence number in order of recording, across all sandboxes, starting at 1. Eviction does not change it. */
  readonly number: number
  /** The time of receipt on the machine's clock, in epoch milliseconds. */
  readonly at: number
  /** The time of receipt on the sandbox's clock, or the time in `X-Sim-Now`, in epoch milliseconds. */
  readonly now: number
  /** Milliseconds from receipt until the response is ready, not including `delayMs`. */
  readonly durationMs: number
  /** The deliberate delay before the response is sent, in milliseconds. */
  readonly delayMs: number
  /** The time of receipt on the process's monotonic clock, in milliseconds. */
  readonly receivedAt: number
  /** The time when the connection was opened, on the monotonic clock; defined only for a connection's first request. */
  readonly openedAt: number | undefined
  readonly connection?: Connection | undefined
  /** The time when the status and headers were sent, on the monotonic clock; undefined if they were not sent. */
  readonly headSentAt: number | undefined
  /** The time when the delivery of the response ended, on the monotonic clock. */
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
   * The token in `Authorization` or, without that header, the API key. It is redacted wherever bodies and messages are
   * shown. Undefined if it is missing or too short to redact, or if the entry was read from a shared journal.
   */
  readonly ownToken: string | undefined
  /** In a shared journal, the hash of the token in `Authorization`, which distinguishes callers across replicas. */
  readonly caller?: string
  /** The `Authorization` header, never shown or shared; undefined if absent, or in an entry from a shared journal. */
  readonly authorization: string | undefined
  /** True if the client closed the connection before sending the whole request body. */
  readonly aborted: boolean
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The body before a `truncated` or `malformed-json` delivery damaged it. */
    readonly body: RecordedBody
    readonly origin: Origin
  }
  readonly delivery: DeliveryOutcome
  /** True if the client closed the connection before the response ended, or might not have read the response. */
  readonly hasClientLeft: boolean
  /** The pipeline stage that responded, such as `validate`. */
  readonly stage: string
  readonly rule: AppliedRule | undefined
  /** Sentences that explain the response, such as why a rule applied; undefined if there are none. */
  readonly decisions: readonly string[] | undefined
  /** The scenarios that applied to the request, as written, such as `slow;ms=200`. */
  readonly scenarios: readonly string[]
  /** The sandbox's rule keys and the headers that select a scenario, seed or response; empty if there are none. */
  readonly steering: string
  /** The outcome declared for a negative test, if any. */
  readonly expectation: Expectation | undefined
  /** The ID of the recorded request that this request replays, if any. Reports ignore replays. */
  readonly replayOf: string | undefined
  /** The deliberate damage to the response, such as `drop-field at /messageCount` or `reset`. */
  readonly damage: readonly string[]
  readonly violations: readonly Violation[]
  /** The contract violations in the response, including those caused by deliberate damage. */
  readonly responseViolations: readonly Violation[]
  /** Warnings and recommendations, such as a warning about an unknown name. */
  readonly advice: readonly Violation[]
}

export type DeliveryEnd = Pick<JournalEntry, 'delivery' | 'hasClientLeft' | 'headSentAt' | 'endedAt'>

/** The parsed parts of an exchange, passed to listeners so that they need not parse the bodies again. */
export interface LiveExchange {
  /** The parsed request body; undefined if there is none, if no stage parsed it, or if it was released. */
  readonly requestBody: Json | undefined
  /** The response body with any drift; undefined if there is none, or if it was released. */
  readonly responseBody: Json | undefined
  /** The matching operation, if any; always undefined if the exchange was read from a shared journal. */
  readonly operation: Operation | undefined
  /** The parameters as sent, or redacted if read from a shared journal. Path parameters may be missing. */
  readonly rawParameters: RawParameters
  /** The parsed parameters; undefined if no stage read them, or if the exchange was read from a shared journal. */
  readonly parameters: ParameterValues | undefined
  /** The caller's token, which distinguishes callers. In an exchange from a shared journal, it is the token's hash. */
  readonly token: string | undefined
  /** True if another replica handled the request. */
  readonly isForeign?: boolean
  /** True if the listeners have already received this exchange and now receive the corrected end of its delivery. */
  readonly isCorrection?: boolean
}

export type Recorded = readonly [entry: JournalEntry, live: LiveExchange]

/** Records one exchange of this process, from the reply until the connection ends. */
export interface ExchangeRecord {
  /**
   * Stores the exchange before its reply is sent, with the expected end of its delivery, so that a client that has the
   * response can find the exchange through any replica. Rejects if the shared store is not responding; the shared
   * journal may then lack the exchange. `announce` is undefined in the journal of a single process.
   */
  readonly announce?: (expected: Recorded) => Promise<void>
  /** Records the end of the delivery. Returns the recorded exchange, created by `create` if it was not announced. */
  end(end: DeliveryEnd, create: () => Recorded): Recorded
  /** Corrects the recorded end of a delivery whose response the client might not have read. */
  correct(corrected: Recorded): void
}
