import { deriveUuid } from '../core/seeded.ts'
import { cloneJson, deepFreeze } from './clone.ts'
import type { PlainCollection } from './collections/collection.ts'
import { eventCollection } from './collections/events.ts'
import { promptCollection } from './collections/prompts.ts'
import { createStoredEvent, insertKey, payloadDiffers } from './events.ts'
import type { Change, ImportChange, StateData, StoredSnapshot } from './memory/state-data.ts'
import { createPromptHead, createVersion } from './prompts.ts'
import type { EventDraft, PromptDraft, SnapshotHead, WriteContext } from './records.ts'
import type { EventReceipt, PromptReceipt, Snapshot } from './store.ts'

/** The decision of a command: the change to store, and the result to return once the change is stored. */
export interface Decision<T> {
  /** Absent: the command changes nothing. */
  readonly change?: Change
  readonly result: T
}

/** A command reads the state and decides. A committer applies its change before any other command decides. */
export type Command<T> = (state: StateData) => Decision<T>

/** Makes the change and returns true if the condition holds; else changes nothing and returns false. */
export function changeIf(condition: boolean, change: Change): Decision<boolean> {
  return condition ? { change, result: true } : { result: false }
}

/** Records the first event of an `insertId`; counts every later event with the same `insertId` as a replay of it. */
export function recordEvent(state: StateData, context: WriteContext, draft: EventDraft): Decision<EventReceipt> {
  const events = state.sandbox(context.sandbox).data.table(eventCollection)
  const key = insertKey(draft)
  const stored = key === undefined ? undefined : events.find(key)
  if (key === undefined || stored === undefined) {
    const event = createStoredEvent(context, draft, events.occurrences)
    return {
      change: { op: 'event', sandbox: context.sandbox, event },
      result: { event: cloneJson(event), replayed: false, payloadDiffers: false },
    }
  }
  const event = { ...cloneJson(stored), replays: stored.replays + 1 }
  return {
    change: { op: 'replay', sandbox: context.sandbox, insertId: key },
    result: { event, replayed: true, payloadDiffers: payloadDiffers(stored, draft) },
  }
}

/** Adds a version to the prompt that the caller's identifier names, or to a new prompt. */
export function addPromptVersion(state: StateData, context: WriteContext, draft: PromptDraft): Decision<PromptReceipt> {
  const prompts = state.sandbox(context.sandbox).data.table(promptCollection)
  const known = prompts.find(draft) ?? { ...createPromptHead(context, draft, prompts.occurrences), versions: [] }
  const { versions, ...prompt } = known
  const version = deepFreeze(createVersion(context, draft, prompt.promptId, versions.length))
  return {
    change: { op: 'version', sandbox: context.sandbox, prompt, version },
    result: { promptId: prompt.promptId, version },
  }
}

/** Stores the record that `update` returns for the one under the key. The same record again changes nothing. */
export function updateRecord<Item extends object>(
  state: StateData,
  sandbox: string,
  collection: PlainCollection<Item>,
  key: string,
  update: (record: Item | undefined) => Item | undefined,
): Decision<Item | undefined> {
  const present = state.sandbox(sandbox).data.table(collection).get(key)
  const next = update(deepFreeze(present))
  if (next === present) return { result: present }
  if (next === undefined) {
    return { change: { sandbox, op: 'remove', collection: collection.name, key }, result: undefined }
  }
  const record = deepFreeze(cloneJson(next))
  if (collection.keyOf(record) !== key) throw new Error(`the record of ${key} has another key`)
  return { change: { sandbox, op: 'put', collection: collection.name, record }, result: record }
}

/** Creates a snapshot. Its id is derived from the number of earlier snapshots, so that a run can be repeated. */
export function createSnapshot(state: StateData, context: WriteContext, name: string | undefined): Decision<Snapshot> {
  const { data, snapshotsTaken } = state.sandbox(context.sandbox)
  const snapshot: SnapshotHead = {
    snapshotId: deriveUuid([context.seed, context.sandbox, 'snapshot', snapshotsTaken]),
    ...(name !== undefined && { name }),
    createdAt: new Date(context.now).toISOString(),
  }
  return {
    change: { op: 'snapshot', sandbox: context.sandbox, snapshot },
    result: { ...snapshot, ...data.count() },
  }
}

/** Returns the description of a snapshot without its records. */
export function summarizeSnapshot({ head, data }: StoredSnapshot): Snapshot {
  return { ...head, ...data.count() }
}

/** Makes a committed change durable; the part that differs between adapters. */
export interface Committer {
  /** Calls `query` with the state as soon as all of its changes are stored, before any other change is decided. */
  read<T>(query: (state: StateData) => T | Promise<T>): T | Promise<T>
  /** Decides, applies and stores a command. Rejects, with the state unchanged, if the change cannot be stored. */
  commit<T>(command: Command<T>): Promise<T>
  /** Encodes an import in slices, between which other requests are answered, so that its later commit is short. */
  prepareImport?(change: ImportChange): Promise<void>
  /** See `Store`. A committer without this method never refuses writes for good. */
  findLoss?(): string | undefined
  close(): Promise<void>
}
