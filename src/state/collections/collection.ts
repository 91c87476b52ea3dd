/** A record as stored in a table: an immutable object, or JSON text, which takes half the memory. */
export type HeldRecord = object | string

export interface Table<Item extends object = object> {
  readonly size: number
  /** Lists the records in the order of their creation. Later changes do not affect the list. */
  list(): Iterable<HeldRecord>
  add(item: Item): void
  /** Applies a change. Throws if the change refers to a missing record. */
  apply(change: { readonly op: string }): void
  /** Returns a copy that changes independently. The records, which are immutable, are shared. */
  copy(): Table
}

/** A record type, listed in `index.ts`. Its records are stored in the state file, the log, exports and snapshots. */
export interface Collection<Item extends object = object, T extends Table = Table> {
  /** The name of the list of records in state files and exports: `events`. */
  readonly name: string
  keyOf(item: Item): string
  /** Returns a record's other unique keys, indexed by the key names that messages use. */
  otherKeys?(item: Item): Readonly<Record<string, string | undefined>>
  /** Finds errors that a schema cannot describe, such as `/versions/1/version must be 2, its position in the list`. */
  findErrors?(item: Item): readonly string[]
  readonly ops: readonly string[]
  createTable(): T
}
