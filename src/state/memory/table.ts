/** A change of the records of one collection as plain data: a part of an entry of the log. */
export interface RecordChange {
  readonly op: string
}

/** The records of one collection in one sandbox. */
export interface Table<Item extends object = object> {
  /** The number of records. */
  readonly size: number
  /** Applies a change. Throws if the change names a record that does not exist. */
  apply(change: RecordChange): void
  /** Returns a copy that changes apart from this table. It shares the records, so it costs a list of references. */
  copy(): Table<Item>
  /** Reads all records, as they are now, in the order of their creation. The records are frozen, or the caller's own. */
  readAll(): Promise<readonly Item[]>
  /** Yields the JSON of all records, without the brackets of the list, in pieces of about a line. */
  text(): Iterable<string>
}
