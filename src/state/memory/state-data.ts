/** The state in memory: sandboxes with their records and snapshots. */
import { inSlices } from '../../base/core/slices.ts'
import type { Collection, Table } from '../collections/collection.ts'
import {
  type CollectionChange,
  collections,
  countEach,
  findCollection,
  type RecordCounts,
  recordsOf,
  type StoredContent,
} from '../collections/index.ts'
import { DEFAULT_QUALITY, type QualitySettings, type SnapshotHead } from '../records.ts'

/** A change as plain data. The same changes in the same order always yield the same state. */
export type Change = { readonly sandbox: string } & (
  | CollectionChange
  | { readonly op: 'quality'; readonly quality: QualitySettings }
  | { readonly op: 'reset' | 'delete' }
  /** `data`: the content of `state`, if already loaded. The write-ahead log does not include `data`. */
  | { readonly op: 'import'; readonly state: StoredContent; readonly data?: SandboxData }
  | { readonly op: 'snapshot'; readonly snapshot: SnapshotHead }
  | { readonly op: 'restore' | 'forget'; readonly snapshotId: string }
)

export type ImportChange = Extract<Change, { readonly op: 'import' }>

export class SandboxData {
  quality: QualitySettings
  readonly #tables = new Map(collections.map(({ name, createTable }) => [name, createTable()]))

  constructor(quality = DEFAULT_QUALITY) {
    this.quality = Object.freeze(quality)
  }

  static of(content: StoredContent): SandboxData {
    const data = new SandboxData(content.quality)
    for (const collection of collections)
      for (const record of recordsOf(content, collection)) data.table(collection).add(record)
    return data
  }

  /** Like `of`, but works in slices, so that other requests are handled in between. */
  static async load(content: StoredContent): Promise<SandboxData> {
    const data = new SandboxData(content.quality)
    for (const collection of collections)
      for await (const record of inSlices(recordsOf(content, collection))) data.table(collection).add(record)
    return data
  }

  capture() {
    return { quality: this.quality, lists: Array.from(this.#tables, ([name, table]) => [name, table.list()] as const) }
  }

  table<Item extends object, T extends Table>(collection: Collection<Item, T>): T {
    return this.#tables.get(collection.name) as T // created by this collection
  }

  /** Returns a copy that changes independently. The records, which are immutable, are shared. */
  copy(): SandboxData {
    const copy = new SandboxData(this.quality)
    for (const [name, table] of this.#tables) copy.#tables.set(name, table.copy())
    return copy
  }

  count(): RecordCounts {
    return countEach((collection) => this.table(collection).size)
  }
}

/** A snapshot with its immutable data. */
export type StoredSnapshot = Readonly<{ head: SnapshotHead; data: SandboxData }>

export interface SandboxEntry {
  readonly data: SandboxData
  readonly snapshots: ReadonlyMap<string, StoredSnapshot>
  /** The number of snapshots created so far, for deriving IDs. A reset sets it to 0 if no snapshots are left. */
  readonly snapshotsTaken: number
}

const emptyEntry = (): SandboxEntry => ({ data: new SandboxData(), snapshots: new Map(), snapshotsTaken: 0 })

/** The entry that unknown sandboxes share. It must not be modified. */
export const EMPTY_ENTRY = emptyEntry()

/** The data of all sandboxes. Only `apply` changes the data. */
export class StateData {
  readonly sandboxes: Map<string, SandboxEntry>
  seq: number

  constructor(seq = 0, sandboxes: Iterable<[string, SandboxEntry]> = []) {
    this.seq = seq
    this.sandboxes = new Map(sandboxes)
  }

  sandbox(name: string): SandboxEntry {
    return this.sandboxes.get(name) ?? EMPTY_ENTRY
  }

  /** Applies a change. Throws if the change refers to a missing record or snapshot. */
  apply(change: Change): void {
    const entry = changeEntry(this.sandboxes.get(change.sandbox) ?? emptyEntry(), change)
    if (entry === undefined) this.sandboxes.delete(change.sandbox)
    else this.sandboxes.set(change.sandbox, entry)
    this.seq += 1
  }
}

/** Returns the entry after a change, or undefined to remove the entry. May modify the entry's data in place. */
function changeEntry(entry: SandboxEntry, change: Change): SandboxEntry | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return entry.snapshots.size === 0 ? undefined : { ...entry, data: new SandboxData() }
    case 'import':
      return { ...entry, data: change.data ?? SandboxData.of(change.state) }
    case 'restore':
      return { ...entry, data: getSnapshot(entry, change.snapshotId).data.copy() }
    case 'snapshot': {
      const stored = { head: change.snapshot, data: entry.data.copy() }
      const snapshots = new Map(entry.snapshots).set(change.snapshot.snapshotId, stored)
      return { ...entry, snapshots, snapshotsTaken: entry.snapshotsTaken + 1 }
    }
    case 'forget': {
      const snapshots = new Map(entry.snapshots)
      snapshots.delete(getSnapshot(entry, change.snapshotId).head.snapshotId)
      return { ...entry, snapshots }
    }
    case 'quality':
      entry.data.quality = Object.freeze(change.quality)
      return entry
    default:
      entry.data.table(findCollection(change)).apply(change)
      return entry
  }
}

function getSnapshot(entry: SandboxEntry, snapshotId: string): StoredSnapshot {
  const snapshot = entry.snapshots.get(snapshotId)
  if (snapshot === undefined) throw new Error(`no snapshot has ID ${snapshotId}`)
  return snapshot
}
