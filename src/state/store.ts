/**
 * The simulator's memory: the port, its commands, memory/, file/ and redis/.
 * `Store` is the port. Its data is in `memory/state-data.ts`; `open-store.ts` chooses where changes are stored.
 */
import type { PlainCollection } from './collections/collection.ts'
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

/** A filter for events, and a page. An absent field does not filter. UUIDs are compared without regard to case. */
export interface EventQuery {
  readonly eventType?: string
  readonly productId?: string
  readonly conversationId?: string
  readonly externalConversationId?: string
  /** The service's id of the conversation, or the caller's id for an event that has no other. */
  readonly conversation?: string
  readonly insertId?: string
  readonly eventId?: string
  readonly sampledOut?: boolean
  /** The recorded events that come first. Default: `oldest`. */
  readonly order?: 'oldest' | 'newest'
  /** The number of matching events to skip. Default 0. */
  readonly offset?: number
  /** The largest number of events to return. Default: all. */
  readonly limit?: number
}

/**
 * Copies of the records of one moment, each made when it is read. They can be read once. A shared store may already
 * count replays of an event that came while it was read.
 */
export type Records<Item> = Iterable<Item> | AsyncIterable<Item>

/** One page of the events that match a query. */
export interface EventPage {
  /** The events in the order of the query. */
  readonly events: Records<StoredEvent>
  /** The number of matching events on all pages. */
  readonly total: number
}

/** The outcome of recording an event. */
export interface EventReceipt {
  readonly event: StoredEvent
  /** Is true if an event with the same `insertId` was stored already; `event` is that first event. */
  readonly replayed: boolean
  /** Is true if the event was replayed with a payload that differs from the stored one, which stays. */
  readonly payloadDiffers: boolean
}

/** The outcome of consuming one unit of a rate window. */
export interface RateResult {
  readonly allowed: boolean
  /** Units of the whole window. */
  readonly limit: number
  /** Units left in the window after this one. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/**
 * A change was refused, the state unchanged: by the disk, usually with `ENOSPC`, until there is space, or because the
 * files are not this process's any more. A change whose sync failed may be stored.
 */
export class StoreWriteError extends Error {
  override readonly name = 'StoreWriteError'
}

/**
 * The shared store did not respond, so the request was refused. A change may be stored all the same, if it was on its
 * way: a client that sends it again with the same `insertId` changes nothing.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The stored data of a sandbox cannot be read, and that does not end by itself. The message names the sandbox. */
export class StoreReadError extends Error {
  override readonly name = 'StoreReadError'
}

/** A description of a stored copy of a sandbox, which the sandbox can be restored to. */
export interface Snapshot extends SnapshotHead, RecordCounts {}

/** The sandboxes that an import replaces: any, or one without records. */
export type ImportCondition = 'always' | 'if-empty'

/** A sandbox as JSON, for an import into another sandbox or simulator. Identifiers stay the same. */
export interface SandboxExport extends Required<StoredContent> {
  readonly format: typeof EXPORT_FORMAT
}

/** An export whose records are read one by one. */
export type SandboxReading = {
  readonly [Name in keyof SandboxExport]: SandboxExport[Name] extends readonly (infer Item)[]
    ? Records<Item>
    : SandboxExport[Name]
}

/** The numbers of records of one sandbox. */
export interface SandboxSummary extends RecordCounts {
  readonly name: string
  readonly snapshots: number
}

/** The numbers of records of all sandboxes. */
export interface StateSummary extends RecordCounts {
  readonly sandboxes: number
}

/**
 * The port to the simulator's state. Every method is atomic, so that an adapter for a shared database needs one round
 * trip. A promise resolves once the change is stored, and rejects with `StoreWriteError`, the state unchanged, if that
 * fails. Arguments are copied; results are copies or frozen. A sandbox that was never written to is an empty sandbox.
 * Reading `Records` throws a `StoreUnavailableError` if a shared store no longer has the records of that moment.
 */
export interface Store {
  /** Records an event, once per `insertId` and sandbox. */
  recordEvent(context: WriteContext, draft: EventDraft): Promise<EventReceipt>
  /** Adds a version to the prompt with the same `externalPromptId` and `productId`, or else to a new prompt. */
  addPromptVersion(context: WriteContext, draft: PromptDraft): Promise<{ promptId: string; version: PromptVersion }>
  /**
   * Consumes one unit of the fixed rate window of `key`; opens a window of `windowMs` if none is open at `context.now`.
   * A restart discards all windows.
   */
  consumeRate(context: WriteContext, key: string, limit: number, windowMs: number): Promise<RateResult>
  /** Advances the sequence `key`, and returns its index before: 0, 1, 2, ... A restart begins at 0 again. */
  nextSequenceIndex(sandbox: string, key: string): Promise<number>
  /** Lists the sequences of the sandbox by key, with the number of times that each was advanced. */
  listSequences(sandbox: string): Promise<ReadonlyMap<string, number>>

  listEvents(sandbox: string, query?: EventQuery): Promise<EventPage>
  /** Lists prompts in the order of their creation, each with its versions from first to last. */
  listPrompts(sandbox: string): Promise<Records<StoredPrompt>>
  /** Makes this version the only active version of its prompt. Returns false if the version does not exist. */
  activateVersion(sandbox: string, promptId: string, versionId: string): Promise<boolean>

  /** Sums the impact per UTC day over all products of the query, earliest day first. A day without events is absent. */
  eventImpact(sandbox: string, query: ImpactQuery): Promise<ReadonlyMap<string, DayImpact>>
  getQuality(sandbox: string): Promise<QualitySettings>
  putQuality(sandbox: string, settings: QualitySettings): Promise<void>

  /** Lists the records of a plain collection in the order of their creation. */
  listRecords<Item extends object>(sandbox: string, collection: PlainCollection<Item>): Promise<readonly Item[]>
  /**
   * Adds, replaces or removes the record under a key: `update` returns the next record for the present one; undefined
   * stands for no record. `update` has no effects, since it is called again if another process was faster.
   */
  updateRecord<Item extends object>(
    sandbox: string,
    collection: PlainCollection<Item>,
    key: string,
    update: (record: Item | undefined) => Item | undefined,
  ): Promise<Item | undefined>

  /** Copies all records and the quality settings into a snapshot with a new id. */
  createSnapshot(context: WriteContext, name?: string): Promise<Snapshot>
  /** Lists snapshots in the order of their creation. */
  listSnapshots(sandbox: string): Promise<readonly Snapshot[]>
  /** Replaces the sandbox's data by the snapshot's, and discards its counters; false if there is no snapshot. */
  restoreSnapshot(sandbox: string, snapshotId: string): Promise<boolean>
  /** Deletes a snapshot. Returns false if the snapshot does not exist. */
  deleteSnapshot(sandbox: string, snapshotId: string): Promise<boolean>

  exportSandbox(sandbox: string): Promise<SandboxReading>
  /**
   * Replaces the sandbox's data by a valid export, and discards its counters. Returns false, with nothing changed, if
   * the sandbox has records and `condition` is `if-empty`. The export is shared, so it must not change afterwards.
   */
  importSandbox(sandbox: string, content: SandboxExport, condition: ImportCondition): Promise<boolean>
  /** Lists the sandboxes that hold data, in the order of their first write. */
  listSandboxes(): Promise<readonly SandboxSummary[]>
  /**
   * Deletes the sandbox with its snapshots and counters, and with its settings in a shared state. Returns false if
   * nothing but counters was stored.
   */
  deleteSandbox(sandbox: string): Promise<boolean>
  /** Deletes the sandbox's events, prompts, quality settings, rate windows and sequences. Its snapshots stay. */
  reset(sandbox: string): Promise<void>
  /** Counts the records of all sandboxes. */
  size(): Promise<StateSummary>
  /**
   * Creates a store that responds as this store would now and stores nothing: not even its own later calls see its
   * writes. Its counters do advance, apart from the original's. A fork serves one request, and must not outlive this
   * store.
   */
  fork(): Store
  /**
   * Says why all further writes are refused, such as `its lock file state.json.lock was removed`, if they are. After
   * `close` it says why `close` could not write the state.
   */
  findLoss(): Promise<string | undefined>
  /** Says why requests that need the state are refused until a shared store returns again, if they are. */
  findOutage(): Promise<string | undefined>
  /** Writes pending changes and releases files and locks. Later writes are refused. */
  close(): Promise<void>
}

/** Returns the sentence for a state that is not written any more, for a reason. */
export function describeLoss(reason: string): string {
  return `The state is not written any more: ${reason}. Export what is needed (GET /__sim/export), then start again.`
}
