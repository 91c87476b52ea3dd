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

/** A change of a collection without operations of its own. */
export type PlainChange<Item extends object = object> = { readonly collection: string } & (
  | { readonly op: 'put'; readonly record: Item }
  | { readonly op: 'remove'; readonly key: string }
)

/** The operations of `PlainChange`. */
export const PLAIN_OPS: readonly PlainChange['op'][] = ['put', 'remove']

/** A table for small records: a `Map` by key. */
export class PlainTable<Item extends object> implements Table {
  readonly #keyOf: (item: Item) => string
  readonly #records: Map<string, Item>

  constructor(keyOf: (item: Item) => string, items: Iterable<Item> = []) {
    this.#keyOf = keyOf
    this.#records = new Map(Array.from(items, (item) => [keyOf(item), item]))
  }

  get size(): number {
    return this.#records.size
  }

  /** Returns the record under a key, if there is one. */
  get(key: string): Item | undefined {
    return this.#records.get(key)
  }

  list(): Item[] {
    return [...this.#records.values()]
  }

  apply(change: PlainChange<Item>): void {
    if (change.op === 'put') this.#records.set(this.#keyOf(change.record), change.record)
    else if (!this.#records.delete(change.key)) throw new Error(`no record has the key ${change.key}`)
  }

  copy(): PlainTable<Item> {
    return new PlainTable(this.#keyOf, this.#records.values())
  }
}
