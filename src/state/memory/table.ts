/** A change of the records of one collection as plain data: a part of an entry of the log. */
export interface RecordChange {
  readonly op: string
}

/** A record as a table holds it: as an object that never changes, or as its JSON, which takes half of the memory. */
export type HeldRecord = object | string

/** The records of one collection in one sandbox. */
export interface Table {
  /** The number of records. */
  readonly size: number
  /** Lists the records in the order of their creation. Copies of a table have the same ones. */
  list(): Iterable<HeldRecord>
  /** Applies a change. Throws if the change names a record that does not exist. */
  apply(change: RecordChange): void
  /** Returns a copy that changes apart from this table. It shares the records, so it costs a list of references. */
  copy(): Table
}
