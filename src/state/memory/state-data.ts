/**
 * The state data in memory: sandboxes with their records, snapshots and counters.
 * `StateData` applies changes to the `SandboxData` of one sandbox; `counters.ts` holds the counts that are never stored.
 */
import type { PromptHead } from '../prompts.ts'
import type { PromptVersion, QualitySettings, SandboxExport, StoredEvent } from '../records.ts'
import { EventList } from './event-list.ts'
import {
  EMPTY_SANDBOX,
  SandboxData,
  type SandboxSnapshot,
  type SnapshotHead,
  type StoredSnapshot,
  snapshotFromPrompt,
} from './sandbox-data.ts'

/**
 * A decided change as plain data, and an entry of the write-ahead log. The same changes in the same order always lead to
 * the same state.
 */
export type Change = { readonly sandbox: string } & (
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }
  | { readonly op: 'version'; readonly prompt: PromptHead; readonly version: PromptVersion }
  | { readonly op: 'activate'; readonly promptId: string; readonly versionId: string }
  | { readonly op: 'quality'; readonly quality: QualitySettings }
  | { readonly op: 'reset' }
  | { readonly op: 'delete' }
  | { readonly op: 'import'; readonly state: SandboxExport }
  | { readonly op: 'snapshot'; readonly snapshot: SnapshotHead }
  | { readonly op: 'restore'; readonly snapshotId: string }
  | { readonly op: 'forget'; readonly snapshotId: string }
)

/** A sandbox's data, with the parts that a reset leaves. */
export interface SandboxEntry {
  readonly data: SandboxData
  readonly snapshots: ReadonlyMap<string, StoredSnapshot>
  /** The number of snapshots ever created; ids are derived from it, so that none is used twice. */
  readonly snapshotsTaken: number
}

/** An immutable copy of a sandbox entry, from which a checkpoint is written. */
export interface SandboxEntrySnapshot {
  readonly name: string
  readonly data: SandboxSnapshot
  readonly snapshots: readonly StoredSnapshot[]
  readonly snapshotsTaken: number
}

const emptyEntry = (): SandboxEntry => ({
  data: new SandboxData(EMPTY_SANDBOX),
  snapshots: new Map(),
  snapshotsTaken: 0,
})

/** The entry of every sandbox without data. It is never changed. */
const EMPTY_ENTRY = emptyEntry()

/** The data of all sandboxes. All stored data is changed here only, by `apply`. */
export class StateData {
  readonly #sandboxes = new Map<string, SandboxEntry>()

  constructor(entries: readonly SandboxEntrySnapshot[] = []) {
    for (const { name, data, snapshots, snapshotsTaken } of entries) {
      const byId = new Map(snapshots.map((snapshot) => [snapshot.head.snapshotId, snapshot]))
      this.#sandboxes.set(name, { data: new SandboxData(data), snapshots: byId, snapshotsTaken })
    }
  }

  get sandboxes(): ReadonlyMap<string, SandboxEntry> {
    return this.#sandboxes
  }

  /** Returns a sandbox for reading. A sandbox that does not exist is empty. */
  sandbox(name: string): SandboxEntry {
    return this.#sandboxes.get(name) ?? EMPTY_ENTRY
  }

  snapshots(): SandboxEntrySnapshot[] {
    return Array.from(this.#sandboxes, ([name, { data, snapshots, snapshotsTaken }]) => ({
      name,
      data: data.snapshot(),
      snapshots: [...snapshots.values()],
      snapshotsTaken,
    }))
  }

  /** Applies a change. Throws if the change names a record that does not exist. */
  apply(change: Change): void {
    const entry = this.#sandboxes.get(change.sandbox) ?? emptyEntry()
    const { data } = entry
    switch (change.op) {
      case 'event':
        data.addEvent(change.event)
        break
      case 'replay':
        data.addReplay(change.insertId)
        break
      case 'version':
        data.addVersion(change.prompt, change.version)
        break
      case 'activate':
        data.activate(change.promptId, change.versionId)
        break
      case 'quality':
        data.quality = change.quality
        break
      default: {
        const replaced = replaceEntry(entry, change)
        if (replaced === undefined) this.#sandboxes.delete(change.sandbox)
        else this.#sandboxes.set(change.sandbox, replaced)
        return
      }
    }
    this.#sandboxes.set(change.sandbox, entry)
  }
}

type ReplacingChange = Extract<
  Change,
  { op: 'reset' | 'delete' | 'import' | 'snapshot' | 'restore' | 'forget' }
>

/** Returns the entry after a change. Undefined: the sandbox is deleted. */
function replaceEntry(entry: SandboxEntry, change: ReplacingChange): SandboxEntry | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return entry.snapshots.size === 0 ? undefined : { ...entry, data: new SandboxData(EMPTY_SANDBOX) }
    case 'import':
      return { ...entry, data: new SandboxData(snapshotFromExport(change.state)) }
    case 'snapshot':
      return addSnapshot(entry, change.snapshot)
    case 'restore':
      return { ...entry, data: new SandboxData(getSnapshot(entry, change.snapshotId).data) }
    case 'forget': {
      const { head } = getSnapshot(entry, change.snapshotId)
      const others = [...entry.snapshots].filter(([id]) => id !== head.snapshotId)
      return { ...entry, snapshots: new Map(others) }
    }
  }
}

function addSnapshot(entry: SandboxEntry, head: SnapshotHead): SandboxEntry {
  const snapshots = new Map(entry.snapshots)
  snapshots.set(head.snapshotId, { head, data: entry.data.snapshot() })
  return { ...entry, snapshots, snapshotsTaken: entry.snapshotsTaken + 1 }
}

function getSnapshot(entry: SandboxEntry, snapshotId: string): StoredSnapshot {
  const snapshot = entry.snapshots.get(snapshotId)
  if (snapshot === undefined) throw new Error(`no snapshot has id ${snapshotId}`)
  return snapshot
}

/** Returns the content of an export as the data of a sandbox. */
export function snapshotFromExport({
  quality,
  events,
  prompts,
}: Omit<SandboxExport, 'format'>): SandboxSnapshot {
  return { quality, events: EventList.of(events), prompts: prompts.map(snapshotFromPrompt) }
}
