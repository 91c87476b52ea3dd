/**
 * The state data in memory: sandboxes with their records, snapshots and counters. `StateData` applies changes to the
 * `SandboxData` of one sandbox; `counters.ts` holds the counts that are never stored.
 */
import { chunksInSlices, SlicedWork } from '../../core/slices.ts'
import type { Collection, RecordChange, Table } from '../collections/collection.ts'
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

/** A change of a sandbox as a whole. */
type SandboxChange =
  | { readonly op: 'quality'; readonly quality: QualitySettings }
  | { readonly op: 'reset' }
  | { readonly op: 'delete' }
  /** `text`: the JSON of `state`, which is a member of the change in the log. Absent: it was read from there. */
  | { readonly op: 'import'; readonly state: SandboxData; readonly text?: string }
  | { readonly op: 'snapshot'; readonly snapshot: SnapshotHead }
  | { readonly op: 'restore'; readonly snapshotId: string }
  | { readonly op: 'forget'; readonly snapshotId: string }
  /** Begins a sandbox of a state file. */
  | { readonly op: 'create'; readonly snapshotsTaken: number }
  /** Removes all records of a collection, in a state file. */
  | { readonly op: 'clear'; readonly collection: string }

/** A decided change as plain data. The same changes in the same order always lead to the same state. */
export type Change = { readonly sandbox: string } & (SandboxChange | CollectionChange)

/** The data of one sandbox: its quality settings, and a table for each collection. */
export class SandboxData {
  quality: QualitySettings
  readonly #tables: Map<string, Table>

  /** Default: the data of a new sandbox. */
  constructor(quality: QualitySettings = DEFAULT_QUALITY, tables?: Iterable<readonly [string, Table]>) {
    this.quality = quality
    this.#tables = new Map(tables ?? collections.map(({ name, createTable }) => [name, createTable()]))
  }

  /** Creates the data from valid content, in slices between which other requests are answered. */
  static async of(content: StoredContent): Promise<SandboxData> {
    const data = new SandboxData(content.quality)
    const work = new SlicedWork()
    for (const collection of collections) {
      for (const record of recordsOf(content, collection)) {
        data.table(collection).add(record)
        if (work.isDue) await work.rest()
      }
    }
    return data
  }

  table<Item extends object, T extends Table>(collection: Collection<Item, T>): T {
    return this.#tables.get(collection.name) as T // created by this collection
  }

  /** Applies a change to the table of its collection. Throws if the change names a record that does not exist. */
  apply(change: CollectionChange): void {
    const collection = findCollection(change)
    if (collection === undefined) throw new Error(`no collection has the operation ${change.op}`)
    this.table(collection).apply(change)
  }

  /** Removes all records of a collection. */
  clear(name: string): void {
    const collection = collections.find((each) => each.name === name)
    if (collection === undefined) throw new Error(`there is no collection ${name}`)
    this.#tables.set(name, collection.createTable())
  }

  /** Returns a copy that changes apart from this data. It shares the records, so it costs lists of references. */
  copy(): SandboxData {
    return new SandboxData(
      this.quality,
      Array.from(this.#tables, ([name, table]) => [name, table.copy()]),
    )
  }

  count(): RecordCounts {
    return countEach((collection) => this.table(collection).size)
  }

  /** Returns the content as JSON. */
  async toText(): Promise<string> {
    const chunks: string[] = []
    for await (const chunk of chunksInSlices(this.#textPieces())) chunks.push(chunk)
    return chunks.join('')
  }

  *#textPieces(): Generator<string> {
    yield `{"quality":${JSON.stringify(this.quality)}`
    for (const [name, table] of this.#tables) {
      let separator = `,"${name}":[`
      if (table.size === 0) yield separator
      for (const record of table.list()) {
        yield separator + (typeof record === 'string' ? record : JSON.stringify(record))
        separator = ','
      }
      yield ']'
    }
    yield '}'
  }

  /** Yields the changes that lead from other data to this data, without those that both have. */
  *changesSince(earlier: SandboxData): Generator<SandboxChange | RecordChange | string> {
    const { quality } = this
    if (quality !== earlier.quality) yield { op: 'quality', quality }
    for (const collection of collections) {
      const [table, before] = [this.table(collection), earlier.table(collection)]
      const continues = table.continues(before)
      if (!continues) yield { op: 'clear', collection: collection.name }
      yield* table.changesSince(continues ? before : collection.createTable())
    }
  }
}

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

const emptyEntry = (): SandboxEntry => ({ data: new SandboxData(), snapshots: new Map(), snapshotsTaken: 0 })
/** Stands for every sandbox without data, unchanged. */
const EMPTY_ENTRY = emptyEntry()

/** The data of all sandboxes. All stored data is changed here only, by `apply`. */
export class StateData {
  /** The id of the history that these data are the outcome of. Empty: no file has them. */
  readonly history: string
  readonly #sandboxes: Map<string, SandboxEntry>
  #seq: number

  constructor(history = '', seq = 0, sandboxes?: Iterable<readonly [string, SandboxEntry]>) {
    this.history = history
    this.#seq = seq
    this.#sandboxes = new Map(sandboxes)
  }

  /** The number of changes in the history up to now. */
  get seq(): number {
    return this.#seq
  }

  get sandboxes(): ReadonlyMap<string, SandboxEntry> {
    return this.#sandboxes
  }

  /** Returns a sandbox for reading. A sandbox that does not exist is empty. */
  sandbox(name: string): SandboxEntry {
    return this.#sandboxes.get(name) ?? EMPTY_ENTRY
  }

  /** Returns a copy that later changes do not change. */
  copy(): StateData {
    const copies = Array.from(this.#sandboxes, ([name, entry]): [string, SandboxEntry] => [
      name,
      { ...entry, data: entry.data.copy() },
    ])
    return new StateData(this.history, this.#seq, copies)
  }

  /** Applies a change. Throws if the change names a record that does not exist. */
  apply(change: Change): void {
    const entry = changeEntry(this.#sandboxes.get(change.sandbox) ?? emptyEntry(), change)
    if (entry === undefined) this.#sandboxes.delete(change.sandbox)
    else this.#sandboxes.set(change.sandbox, entry)
    this.#seq += 1
  }

  /** Yields the changes that lead from an empty state to this one, each as JSON without the opening brace. */
  *changes(): Generator<string> {
    for (const [name, entry] of this.#sandboxes) {
      const sandbox = `"sandbox":${JSON.stringify(name)},`
      for (const change of entryChanges(entry))
        yield sandbox + (typeof change === 'string' ? change : JSON.stringify(change).slice(1))
    }
  }
}

/** Yields the changes that lead to a sandbox. Records that snapshots share with each other or the sandbox come once. */
function* entryChanges({ data, snapshots, snapshotsTaken }: SandboxEntry): Generator<object | string> {
  yield { op: 'create', snapshotsTaken: snapshotsTaken - snapshots.size }
  let earlier = new SandboxData()
  for (const { head, data: copy } of snapshots.values()) {
    yield* copy.changesSince(earlier)
    yield { op: 'snapshot', snapshot: head }
    earlier = copy
  }
  yield* data.changesSince(earlier)
}

/** Applies a change to an entry or replaces the entry. Returns undefined if the sandbox is deleted. */
function changeEntry(entry: SandboxEntry, change: Change): SandboxEntry | undefined {
  switch (change.op) {
    case 'delete':
      return undefined
    case 'reset':
      return entry.snapshots.size === 0 ? undefined : { ...entry, data: new SandboxData() }
    case 'import':
      return { ...entry, data: change.state }
    case 'restore':
      return { ...entry, data: getSnapshot(entry, change.snapshotId).data.copy() }
    case 'snapshot':
      return addSnapshot(entry, change.snapshot)
    case 'forget': {
      const { head } = getSnapshot(entry, change.snapshotId)
      const others = [...entry.snapshots].filter(([id]) => id !== head.snapshotId)
      return { ...entry, snapshots: new Map(others) }
    }
    case 'create':
      return { ...emptyEntry(), snapshotsTaken: change.snapshotsTaken }
    case 'clear':
      entry.data.clear(change.collection)
      return entry
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
