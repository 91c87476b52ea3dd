/** A record as stored in a table: an immutable object, or its JSON, which takes half the memory. */
export type HeldRecord = object | string

export interface Table<Item extends object = object> {
  readonly size: number
  /** Lists the records in the order of their creation. Later changes do not change the list. */
  list(): Iterable<HeldRecord>
  add(item: Item): void
  /** Applies a change, which is plain data. Throws if the change needs a missing record. */
  apply(change: { readonly op: string }): void
  /** Returns an independent copy, which shares the records and copies the indexes. */
  copy(): Table
}

/** A record type of the state. State file, log, exports, imports and snapshots contain those listed in `index.ts`. */
export interface Collection<Item extends object = object, T extends Table = Table> {
  /** The member with the list of records in state files and exports: `events`. */
  readonly name: string
  keyOf(item: Item): string
  /** Returns further unique keys of a record, by their names in messages, if any. */
  otherKeys?(item: Item): Readonly<Record<string, string | undefined>>
  /** Finds faults of a record that a schema cannot describe: `/versions/1/version must be 2, its place in the list`. */
  findFaults?(item: Item): readonly string[]
  readonly ops: readonly string[]
  createTable(): T
}
