/** `state/`: the `Store` interface, the record types, and implementations in `memory/`, `file/` and `redis/`. */
import type { RecordCounts, StoredContent } from './collections/index.ts'
import type {
  DayImpact,
  EventDraft,
  EXPORT_FORMAT,
  ImpactQuery,
  PromptDraft,
  PromptVersion,
  QualitySettings,
  SnapshotHead,
  StoredEvent,
  StoredPrompt,
  WriteContext,
} from './records.ts'

/** Filters and paging for events. Absent fields do not filter. UUIDs are compared case-insensitively. */
export interface EventQuery {
  readonly eventType?: string
  readonly productId?: string
  readonly conversationId?: string
  readonly externalConversationId?: string
  /** Matches the `conversationId` or, in events without one, the `externalConversationId`. */
  readonly conversation?: string
  readonly insertId?: string
  readonly eventId?: string
  readonly sampledOut?: boolean
  readonly order?: 'oldest' | 'newest'
  readonly offset?: number
  readonly limit?: number
}

export type Records<Item> = Iterable<Item> | AsyncIterable<Item>

export interface EventPage {
  readonly events: Records<StoredEvent>
  readonly total: number
}

export interface EventReceipt {
  readonly event: StoredEvent
  /** True if an event with the same `insertId` was already stored. If so, `event` is the stored event. */
  readonly replayed: boolean
  /** True if the payload of a replayed event differs from the stored payload, which stays unchanged. */
  readonly payloadDiffers: boolean
}

/** The result of an attempt to consume one unit of a rate limit window. */
export interface RateResult {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/** A change refused because of a disk error, or because one of the state's files was removed, replaced or altered. */
export class StoreWriteError extends Error {
  override readonly name = 'StoreWriteError'
}

export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** Damaged data in a sandbox. The message names the sandbox. */
export class StoreReadError extends Error {
  override readonly name = 'StoreReadError'
}

export interface Snapshot extends SnapshotHead, RecordCounts {}

/** The condition for an import. With `if-empty`, an import into a sandbox that has records is refused. */
export type ImportCondition = 'always' | 'if-empty'

/** A sandbox's records and quality settings as JSON, for import into any simulator. An import keeps all identifiers. */
export interface SandboxExport extends Required<StoredContent> {
  readonly format: typeof EXPORT_FORMAT
}

/** An export whose records are read one by one. */
export type SandboxReading = {
  readonly [Name in keyof SandboxExport]: SandboxExport[Name] extends readonly (infer Item)[]
    ? Records<Item>
    : SandboxExport[Name]
}

export interface SandboxSummary extends RecordCounts {
  readonly name: string
  readonly snapshots: number
}

export interface StateSummary extends RecordCounts {
  readonly sandboxes: number
}

/**
 * The operations on the simulator's state. Every change is atomic. A promise resolves when the change is stored. If it
 * rejects with `StoreWriteError`, the state is unchanged, unless a sync failed.
 * Arguments other than exports are copied; results are copies or frozen. An unknown sandbox counts as empty.
 */
export interface Store {
  recordEvent(context: WriteContext, draft: EventDraft): Promise<EventReceipt>
  /** Adds a version to the prompt with the same `externalPromptId` and `productId`, or else to a new prompt. */
  addPromptVersion(context: WriteContext, draft: PromptDraft): Promise<{ promptId: string; version: PromptVersion }>
  /** Consumes a unit of `key`'s fixed window, if one is left. A window opens on first use; a restart can reset it. */
  consumeRate(context: WriteContext, key: string, limit: number, windowMs: number): Promise<RateResult>
  /** Advances the sequence `key` and returns its previous index: 0, 1, 2, ... A restart can reset sequences. */
  nextSequenceIndex(sandbox: string, key: string): Promise<number>
  listSequences(sandbox: string): Promise<ReadonlyMap<string, number>>

  listEvents(sandbox: string, query?: EventQuery): Promise<EventPage>
  listPrompts(sandbox: string): Promise<Records<StoredPrompt>>
  /** Makes a version the only active version of its prompt. Returns false if the version does not exist. */
  activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean>

  eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>>
  getQuality(sandbox: string): Promise<QualitySettings>
  putQuality(sandbox: string, settings: QualitySettings): Promise<void>

  createSnapshot(context: WriteContext, name?: string): Promise<Snapshot>
  listSnapshots(sandbox: string): Promise<readonly Snapshot[]>
  /** Replaces the sandbox's data with a snapshot's, and resets the counters. Returns false for an unknown snapshot. */
  restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean>
  /** Returns false if the snapshot does not exist. */
  deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean>

  exportSandbox(sandbox: string): Promise<SandboxReading>
  /**
   * Replaces the sandbox's data with a valid export and resets the counters. Returns false and changes nothing if the
   * sandbox has records and `condition` is `if-empty`. The export is not copied, so it must not change afterward.
   */
  importSandbox(sandbox: string, content: SandboxExport, condition: ImportCondition): Promise<boolean>
  listSandboxes(): Promise<readonly SandboxSummary[]>
  /** Deletes everything stored for the sandbox. Returns false if nothing but counters was stored. */
  deleteSandbox(sandbox: string): Promise<boolean>
  /** Deletes the sandbox's events, prompts, quality settings, rate limit windows and sequences. Its snapshots stay. */
  reset(sandbox: string): Promise<void>
  size(): Promise<StateSummary>
  /**
   * Creates a store for one request. The fork responds like this store but stores nothing: even its own later calls do
   * not see its writes. Its counters advance independently. It must not be used after this store is closed.
   */
  fork(): Store
  /** Returns why changes can no longer be stored, or why `close` could not store them; otherwise undefined. */
  findLoss(): Promise<string | undefined>
  /** Returns why requests that need the state are refused; undefined unless the shared store is out of service. */
  findOutage(): Promise<string | undefined>
  /** Writes pending changes and releases files and locks. Later writes are refused. */
  close(): Promise<void>
}

export function describeLoss(reason: string): string {
  return `The state is no longer being saved: ${reason}. Export the data you need (GET /__sim/export), then restart.`
}
