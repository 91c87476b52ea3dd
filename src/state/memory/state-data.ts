/**
 * The state data in memory: sandboxes with their records, snapshots and counters.
 * `StateData` applies changes to the `SandboxData` of one sandbox; `counters.ts` holds the counts that are never stored.
 */
import type { CollectionChange, StoredContent } from '../collections/index.ts'
import type { QualitySettings, SnapshotHead } from '../records.ts'
import { SandboxData } from './sandbox-data.ts'

/** A change of a sandbox as a whole. */
type SandboxChange =
  | { readonly op: 'quality'; readonly quality: QualitySettings }
  | { readonly op: 'reset' }
  | { readonly op: 'delete' }
  | { readonly op: 'import'; readonly state: StoredContent }
  | { readonly op: 'snapshot'; readonly snapshot: SnapshotHead }
  | { readonly op: 'restore'; readonly snapshotId: string }
  | { readonly op: 'forget'; readonly snapshotId: string }

/**
 * A decided change as plain data, and an entry of the write-ahead log. The same changes in the same order always lead to
 * the same state.
 */
export type Change = { readonly sandbox: string } & (SandboxChange | CollectionChange)

/** A snapshot with its data, which is never changed. */
export interface StoredSnapshot {
  readonly head: SnapshotHead
  readonly data: SandboxData
}

/** A sandbox's data, with the parts that a reset leaves. */
export interface SandboxEntry {
  readonly data: SandboxData
  readonly snapshots: ReadonlyMap<string, StoredSnapshot>
  /** The number of snapshots ever created; ids are derived from it, so that none is used twice. */
  readonly snapshotsTaken: number
}

const emptyEntry = (): SandboxEntry => ({ data: SandboxData.of(), snapshots: new Map(), snapshotsTaken: 0 })

/** The entry of every sandbox without data. It is never changed. */
const EMPTY_ENTRY = emptyEntry()

/** The data of all sandboxes. All stored data is changed here only, by `apply`. */
export class StateData {
  readonly #sandboxes: Map<string, SandboxEntry>

  constructor(sandboxes: ReadonlyMap<string, SandboxEntry> = new Map()) {
    this.#sandboxes = new Map(sandboxes)
  }

  get sandboxes(): ReadonlyMap<string, SandboxEntry> {
    return this.#sandboxes
  }

  /** Returns a sandbox for reading. A sandbox that does not exist is empty. */
  sandbox(name: string): SandboxEntry {
    return this.#sandboxes.get(name) ?? EMPTY_ENTRY
  }

  /** Returns a copy of all sandboxes that later changes do not change. */
  copySandboxes(): ReadonlyMap<string, SandboxEntry> {
    const copies = Array.from(
      this.#sandboxes,
      ([name, entry]) => [name, { ...entry, data: entry.data.copy() }] as const,
    )
    return new Map(copies)
  }

  /** Replaces a sandbox by its entry in a shared store. Undefined: the sandbox holds no data. */
  replace(name: string, entry: SandboxEntry | undefined): void {
    if (entry === undefined) this.#sandboxes.delete(name)
    else this.#sandboxes.set(name, entry)
  }

  /** Applies a change. Throws if the change names a record that does not exist. */
  apply(change: Change): void {
    const entry = changeEntry(this.#sandboxes.get(change.sandbox) ?? emptyEntry(), change)
    if (entry === undefined) this.#sandboxes.delete(change.sandbox)
    else this.#sandboxes.set(change.sandbox, entry)
  }
}

/** Applies a change to an entry or replaces the entry. Undefined: the sandbox is deleted. */
function changeEntry(entry: SandboxEntry, change: Change): SandboxEntry | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return entry.snapshots.size === 0 ? undefined : { ...entry, data: SandboxData.of() }
    case 'import':
      return { ...entry, data: SandboxData.of(change.state) }
    case 'restore':
      return { ...entry, data: getSnapshot(entry, change.snapshotId).data.copy() }
    case 'snapshot':
      return addSnapshot(entry, change.snapshot)
    case 'forget': {
      const { head } = getSnapshot(entry, change.snapshotId)
      const others = [...entry.snapshots].filter(([id]) => id !== head.snapshotId)
      return { ...entry, snapshots: new Map(others) }
    }
    case 'quality':
      entry.data.quality = change.quality
      return entry
    default:
      entry.data.apply(change)
      return entry
  }
}

function addSnapshot(entry: SandboxEntry, head: SnapshotHead): SandboxEntry {
  const snapshots = new Map(entry.snapshots)
  snapshots.set(head.snapshotId, { head, data: entry.data.copy() })
  return { ...entry, snapshots, snapshotsTaken: entry.snapshotsTaken + 1 }
}

function getSnapshot(entry: SandboxEntry, snapshotId: string): StoredSnapshot {
  const snapshot = entry.snapshots.get(snapshotId)
  if (snapshot === undefined) throw new Error(`no snapshot has id ${snapshotId}`)
  return snapshot
}
