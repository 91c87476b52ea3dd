import type { Awaitable } from '../core/awaitable.ts'
import type { Result } from '../core/result.ts'
import type {
  EventDraft,
  PromptDraft,
  PromptVersion,
  QualitySettings,
  SandboxExport,
  Snapshot,
  StoredEvent,
  StoredPrompt,
} from './records.ts'

/** Which events to list; what is absent does not filter. Ids that are UUIDs are compared without regard to case. */
export interface EventQuery {
  readonly eventType?: string
  readonly productId?: string
  readonly conversationId?: string
  readonly externalConversationId?: string
  readonly insertId?: string
  readonly sampledOut?: boolean
  /** How many of the matching events to pass over. Default 0. */
  readonly offset?: number
  /** How many to give at most. Default: all. */
  readonly limit?: number
}

export interface EventPage {
  /** In the order of their recording. */
  readonly events: readonly StoredEvent[]
  /** How many match, on this page or not. */
  readonly total: number
}

/** The events of some products: which, and over which UTC days (`2026-01-15`, both included; absent: no bound). */
export interface ImpactQuery {
  readonly productIds: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** What a day's events add up to; events that sampling dropped do not count. */
export interface DayImpact {
  /** Sum of the events' impacts, exact to nine decimals and the same for any order of recording. */
  readonly impact: number
  readonly events: number
}

export interface EventReceipt {
  readonly event: StoredEvent
  readonly replayed: boolean
  /** A replay whose payload is not the first one's; the first one stands. */
  readonly payloadDiffers: boolean
}

export interface PromptReceipt {
  readonly promptId: string
  readonly version: PromptVersion
}

/** Who writes: the sandbox, its seed (identifiers and sampling are derived from both), and the sandbox's time. */
export interface WriteContext {
  readonly sandbox: string
  readonly seed: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** One unit of a rate window. */
export interface RateResult {
  readonly allowed: boolean
  readonly limit: number
  /** Units left in the window after this one. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/** The disk did not take a change, so it was not made: `ENOSPC` as a rule. Writing goes on once there is room. */
export class StoreWriteError extends Error {
  override readonly name = 'NotKept'
}

/** The numbers of records that an import stored. */
export interface ImportSummary {
  readonly events: number
  readonly prompts: number
}

export interface SandboxSummary {
  readonly name: string
  readonly events: number
  readonly prompts: number
  readonly snapshots: number
}

/**
 * What the simulator remembers. Every method is one atomic step, so that an adapter for a shared store can do it in one
 * round trip. A method's promise resolves once its effect is kept, and rejects with `NotKept` (memory unchanged) where
 * it could not be kept. What every analysis asks for is given without a promise by whoever has it at hand. What a method is given
 * is copied; what it gives out is a copy too, or frozen. A sandbox that was never written to is an empty one.
 */
export interface Store {
  /** Records an event once per `insertId` and sandbox. */
  recordEvent(writer: WriteContext, draft: EventDraft): Promise<EventReceipt>
  /** Adds a version: to the prompt of the same `externalPromptId` and `productId`, else to a new prompt. */
  addPromptVersion(writer: WriteContext, draft: PromptDraft): Promise<PromptReceipt>
  /**
   * Takes one unit of the fixed window that `key` is in; opens a window of `windowMs` where none is open at `now`.
   * Windows are not kept across a restart.
   */
  consumeRate(writer: WriteContext, key: string, limit: number, windowMs: number): Promise<RateResult>
  /** How often this sequence was stepped before in the sandbox: 0, 1, 2, ... Not kept across a restart. */
  nextSequenceIndex(sandbox: string, key: string): Promise<number>

  /** How far every sequence of the sandbox is: how often each key was stepped. */
  listSequences(sandbox: string): Promise<ReadonlyMap<string, number>>

  listEvents(sandbox: string, query?: EventQuery): Promise<EventPage>
  /** In the order of their creation, each with its versions from the first to the last. */
  listPrompts(sandbox: string): Promise<readonly StoredPrompt[]>
  /** Makes this version the active one of its prompt, and the only one. False: there is no such version. */
  activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean>

  /** Days with events and their sums over all the products asked for, earliest first. Kept up to date, not counted. */
  eventImpact(sandbox: string, query: ImpactQuery): Awaitable<ReadonlyMap<string, DayImpact>>
  getQuality(sandbox: string): Awaitable<QualitySettings>
  putQuality(sandbox: string, settings: QualitySettings): Promise<void>

  /** Keeps a copy of events, prompts and quality settings under a new id. */
  createSnapshot(writer: WriteContext, name?: string): Promise<Snapshot>
  /** In the order of their creation. */
  listSnapshots(sandbox: string): Promise<readonly Snapshot[]>
  /** Puts the copy in place of what the sandbox holds; rates and sequences begin anew. False: no such snapshot. */
  restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean>
  /** False: no such snapshot. */
  deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean>

  exportSandbox(sandbox: string): Promise<SandboxExport>
  /** Puts an export in place of what the sandbox holds, or names all that is wrong with it and changes nothing. */
  importSandbox(sandbox: string, document: unknown): Promise<Result<ImportSummary, readonly string[]>>
  /** All that hold anything, in the order of their first writing. */
  listSandboxes(): Promise<readonly SandboxSummary[]>
  /** Forgets the sandbox with its snapshots. False: there was none. */
  deleteSandbox(sandbox: string): Promise<boolean>

  /** Forgets all that the sandbox holds: events, prompts, quality settings, rates, sequences. Its snapshots stay. */
  reset(sandbox: string): Promise<void>
  /** How much is held, over all sandboxes: for the start's one line and for `GET info`. */
  size(): Promise<{ readonly sandboxes: number; readonly events: number; readonly prompts: number }>
  /**
   * A view in which every method answers as it would now, and nothing is kept: what it decides is not to be seen by anybody, nor by
   * its own later calls, save rates and sequences, which go on within it. For one request; it does not outlive the store.
   */
  fork(): Store
  /** Writes out what is pending and lets go of what is held. */
  close(): Promise<void>
}
