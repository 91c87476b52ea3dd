import type { CorsOrigins } from '../../base/core/origins.ts'
import type { Findings } from '../../base/documents/finding.ts'
import type { Contract } from '../../service/contract/contract.ts'
import type { DecisionTrace } from '../../service/exchange/decision-trace.ts'
import type { OutgoingReply } from '../../service/exchange/delivery.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import type { ActiveRules } from '../../service/scenarios/rules.ts'
import type { SandboxExport, Store } from '../../state/store.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reporter } from '../reports/report.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'

export interface ControlDeps {
  readonly contract: Contract
  readonly controlContract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  /** Returns the rules that hold in every sandbox, from `--scenario` and `--rules`. */
  readonly startUp: () => ActiveRules
  /** Returns the ids of the products that each model belongs to, by the model's id; all in lower case. */
  readonly productsOfModel: () => ReadonlyMap<string, readonly string[]>
  readonly documents: () => DocumentState
  /** `operationId`s with a handler in `operations/`; the others are served from the document's examples. */
  readonly handledOperations: ReadonlySet<string>
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** State that a reset of the default sandbox imports; undefined: a reset leaves the default sandbox empty. */
  readonly seedState: SandboxExport | undefined
  /** Value of `--state`: `:memory:`, the path of a file, or a URL without user and password. */
  readonly stateFile: string
  /** The journal of this process: metrics listen to it, the other handlers only read it. */
  readonly journal: Journal
  readonly reporter: Reporter
  readonly explain: Explain
  /** The origins of pages whose preflights the edge responses. */
  readonly corsOrigins: CorsOrigins
  /** Aborted when a stop was requested, and requests are still handled. */
  readonly draining: AbortSignal
  /** Aborted when the simulator stops: streams end, and a waiting verification responds with what has come so far. */
  readonly stopping: AbortSignal
}

export interface DocumentState {
  /** The digest of the contract with its overlays: `sha256:...`. */
  readonly digest: string
  /** 1 for the documents of the start; each reload (`--watch`) adds 1. */
  readonly generation: number
  /** The files of `--overlay`. */
  readonly overlays: readonly string[]
  readonly isWatched: boolean
  /** The failure of the latest reload, `at` in epoch milliseconds, or undefined if it succeeded or there was none. */
  readonly failure: { readonly at: number; readonly findings: Findings } | undefined
}

/** The outcome that a request would have now. */
export interface Explanation {
  readonly trace: DecisionTrace
  readonly outgoing: OutgoingReply
  /** The entry that the journal would record. */
  readonly entry: JournalEntry
}

/** Computes the outcome that a request would have now, without any effect. */
export type Explain = (request: SimRequest) => Promise<Explanation>
