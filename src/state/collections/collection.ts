/** A record as a table has it: as an object that nobody changes, or as its JSON, which takes half of the memory. */
export type HeldRecord = object | string

export interface Table<Item extends object = object> {
  readonly size: number
  /** Lists the records in the order of their creation. Later changes do not change the list. */
  list(): Iterable<HeldRecord>
  add(item: Item): void
  /** Applies a change, which is plain data. Throws if the change needs a record that does not exist. */
  apply(change: { readonly op: string }): void
  /** Returns a copy that changes apart from this table. It shares the records, and copies the indexes. */
  copy(): Table
}

/** A record type of the state. State file, log, exports, imports and snapshots have those that `index.ts` lists. */
export interface Collection<Item extends object = object, T extends Table = Table> {
  /** The member of a sandbox's content that lists the records, in state files and exports: `events`. */
  readonly name: string
  keyOf(item: Item): string
  /** Returns further unique keys of a record, by their names in messages; undefined where it has none. */
  otherKeys?(item: Item): Readonly<Record<string, string | undefined>>
  /** Finds faults of a record that a schema cannot describe: `/versions/1/version must be 2, its place in the list`. */
  findFaults?(item: Item): readonly string[]
  readonly ops: readonly string[]
  createTable(): T
}
