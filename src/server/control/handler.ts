import { type Json, jsonPieces } from '../../base/core/json.ts'
import { chunksInSlices } from '../../base/core/slices.ts'
import type { Findings } from '../../base/documents/source.ts'
import type { Contract, ParameterValues } from '../../service/contract/contract.ts'
import type { PageSettings } from '../../service/exchange/refusals.ts'
import { type OutgoingReply, type Reply, textBody } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import type { ActiveRules } from '../../service/scenarios/rules.ts'
import type { SandboxExport, Store } from '../../state/store.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reporter } from '../reports/report.ts'
import type { ReportedInputs } from '../reports/traffic-collector.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'

export interface ControlRequest {
  /** The sandbox's name; `default` if the request does not name one. */
  readonly sandbox: string
  /** The sandbox's name in operations that accept `*`; undefined for `*`, which selects all sandboxes. */
  readonly sandboxFilter: string | undefined
  /** The parameters, with the types and defaults that the control document declares. */
  readonly parameters: ParameterValues
  readonly body: Json | undefined
  readonly source: SimRequest
  readonly exchangeEnded: AbortSignal
}

/** The inputs that the simulator currently uses. A reload (`--watch`) replaces all of them. */
export interface ServedInputs extends Pick<ReportedInputs, 'idempotentOperations'> {
  readonly generationNumber: number
  readonly contract: Contract
  /** The IDs of the operations with a handler; the responses of other operations come from the contract. */
  readonly handled: ReadonlySet<string>
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  /** The rules for every sandbox, from `--scenario` and `--rules`. */
  readonly startupRules: ActiveRules
  /** The IDs of each model's products, by model ID; all IDs are in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** Returns the digest of the contract with its overlays: `sha256:...`. */
  readonly contractDigest: () => string
}

export interface ReloadFailure {
  /** Epoch milliseconds. */
  readonly at: number
  readonly findings: Findings
}

export interface Explanation {
  readonly outgoing: OutgoingReply
  readonly entry: JournalEntry
}

export interface ControlledSimulator {
  readonly served: () => ServedInputs
  /** Returns the failure of the latest reload; undefined if it succeeded, or if there was no reload. */
  readonly reloadFailure: () => ReloadFailure | undefined
  readonly control: Contract
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** The request journal, which includes the exchanges of other replicas if the state is shared. */
  readonly journal: Journal
  readonly reporter: Reporter
  /** Call before removing a sandbox's rules. Records, for reports, the rules that were in effect but never applied. */
  readonly keepUnmet: (sandbox: string) => Promise<void>
  /** Computes the outcome that a request would have now, without side effects. */
  readonly explain: (request: SimRequest) => Promise<Explanation>
  /** The state that a reset of the default sandbox imports; undefined if a reset empties that sandbox. */
  readonly seedState: SandboxExport | undefined
  readonly pages: PageSettings
  /** Aborted as soon as a shutdown is requested, while requests are still being handled. */
  readonly draining: AbortSignal
  /** Aborted when the simulator stops. Streams then end, and waiting verifications respond with the count so far. */
  readonly stopping: AbortSignal
  readonly overlays: readonly string[]
  readonly isWatched: boolean
  /** True for a simulator that exists only for a test run. */
  readonly isTemporary: boolean
  /** The value of `--state`: `:memory:`, a file path, or a URL without its user name and password. */
  readonly stateLocation: string
}

/**
 * The outcome of a control operation: the documented response (an object, or its JSON in pieces), a custom reply, or
 * a refusal. In the object, each list can be any iterable, including an asynchronous one.
 */
type ControlOutcome = object | JsonPieces | ControlError | CustomReply

/** The handlers of control operations, by `operationId`. */
export type ControlHandlers = {
  readonly [operationId: string]: (request: ControlRequest) => ControlOutcome | Promise<ControlOutcome>
}

export type HandlerGroup = (simulator: ControlledSimulator) => ControlHandlers

export class JsonPieces {
  readonly pieces: AsyncGenerator<string>
  readonly mediaType: string
  constructor(pieces: JsonPieces['pieces'], mediaType = 'application/json; charset=utf-8') {
    this.pieces = pieces
    this.mediaType = mediaType
  }
}

/** A reply with its own body, stream, headers or status: `new CustomReply({ body: textBody(page, type) })`. */
export class CustomReply {
  readonly parts: Partial<Pick<Reply, 'status' | 'headers' | 'body' | 'stream'>>
  constructor(parts: CustomReply['parts']) {
    this.parts = parts
  }
}

/** A refusal: `new ControlError(404, 'The sandbox has no snapshot 7.')`. */
export class ControlError {
  readonly status: number
  readonly error: string
  readonly headers: Reply['headers']
  constructor(status: number, error: string, headers: Reply['headers'] = {}) {
    this.status = status
    this.error = error
    this.headers = headers
  }
}

/**
 * Creates a function that reserves one of `count` slots until the reply is complete or the client disconnects, to limit
 * the memory and work for concurrent replies. If no slot is free, the function refuses with the message `error`.
 */
export function createSlots(count: number, error: string) {
  let left = count
  return (exchangeEnded: AbortSignal): ControlError | undefined => {
    if (left === 0) return new ControlError(429, error, { 'Retry-After': '1' })
    if (exchangeEnded.aborted) return undefined
    left -= 1
    exchangeEnded.addEventListener('abort', () => {
      left += 1
    })
    return undefined
  }
}

/** The maximum length of a response sent as one string, in characters. Longer responses are sent in slices. */
const maxWholeLength = 256 * 1024

/** The maximum number of concurrent long responses. An unread response can keep copies of a 1 MB record in memory. */
const maxLongResponses = 10

/** Creates a function that replies with JSON. Long JSON is streamed no faster than the client reads it. */
export function createJsonReplier() {
  const advice = 'Retry when one of them has finished.'
  const takeSlot = createSlots(maxLongResponses, `${maxLongResponses} long responses are already being read. ${advice}`)
  return async (value: object, exchangeEnded: AbortSignal): Promise<CustomReply | ControlError> => {
    const { pieces, mediaType } = value instanceof JsonPieces ? value : new JsonPieces(jsonPieces(value))
    let head = ''
    while (head.length <= maxWholeLength) {
      const { done, value: piece } = await pieces.next()
      if (done) return new CustomReply({ body: textBody(head, mediaType) })
      head += piece
    }
    const stream = { mediaType, chunks: () => chunksInSlices(resume(head, pieces)) }
    return takeSlot(exchangeEnded) ?? new CustomReply({ stream })
  }
}

async function* resume(head: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head
  yield* pieces
}

/** Refuses a sandbox (other than `default`) that is not in use, since an empty report would look like success. */
export function refuseUnused(sandbox: string | undefined, sandboxes: Pick<Sandboxes, 'has'>): ControlError | undefined {
  if (sandbox === undefined || sandbox === defaultSandbox || sandboxes.has(sandbox)) return undefined
  const error =
    `The sandbox "${sandbox}" was never used, or was deleted or evicted. ` +
    'GET /__sim/sandboxes lists the sandboxes in use.'
  return new ControlError(404, error)
}

type CreateHandlers = (handle: (request: SimRequest, exchangeEnded: AbortSignal) => Promise<Reply>) => ControlHandlers

export const featureControls: CreateHandlers[] = []

/** Adds a feature's operations to every control plane that is created later. */
export function registerControls(create: CreateHandlers): void {
  featureControls.push(create)
}
