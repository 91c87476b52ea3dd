/** A change of the records of one collection as plain data: a part of an entry of the log. */
export interface RecordChange {
  readonly op: string
}

/** A record as it is written to a file. */
export interface TableRecord {
  /** The object that a record and its unchanged copies in snapshots share. */
  readonly identity: object
  /** A number that differs between a record and a copy that was changed, if they share their identity. */
  readonly revision: number
  /** Yields the JSON of the record, without line breaks, in small pieces. */
  readonly text: () => Iterable<string>
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
  /** Yields all records in the order of their creation, so that a file can have the records that copies share once. */
  records(): Iterable<TableRecord>
}
