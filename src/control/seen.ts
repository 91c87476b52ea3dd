import type { Contract } from '../contract/contract.ts'
import type { DecisionTrace } from '../exchange/decision-trace.ts'
import type { OutgoingReply } from '../exchange/delivery.ts'
import type { SimRequest } from '../exchange/request.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reporter } from '../reports/model.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import type { RuleSet } from '../scenarios/rules.ts'
import type { SandboxExport, Store } from '../state/store.ts'

/** What would become of a request, and why. */
export interface Explained {
  readonly trace: DecisionTrace
  readonly outgoing: OutgoingReply
  /** As the journal would have it. */
  readonly entry: JournalEntry
}

/** Finds out what would become of a request, without any effect. */
export type Explain = (request: SimRequest) => Promise<Explained>

/** What the control plane looks at and changes. */
export interface Seen {
  readonly version: string
  readonly contract: Contract
  readonly controlContract: Contract
  readonly catalogue: Catalogue
  readonly fixtures: Fixtures
  readonly startUp: RuleSet
  readonly sandboxes: Sandboxes
  readonly store: Store
  readonly journal: Journal
  /** As `--journal-size` says it. */
  readonly journalSize: number
  readonly reporter: Reporter
  /** What the default sandbox goes back to; undefined: to nothing. */
  readonly seedState: SandboxExport | undefined
  /** As `--state` says it. */
  readonly stateFile: string
  /** As `--cors` says it: the edge answers the preflights of browsers. */
  readonly cors: boolean
  /** `operationId`s that the simulator itself answers; the others are answered from the document. */
  readonly handled: ReadonlySet<string>
  /** Ids of the products that each model belongs to, by its id. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** Aborted once the simulator is to stop: whoever waits answers now. */
  readonly stopping: AbortSignal
  readonly explain: Explain
}
