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
  /** Lists the records in the order of their creation, as they are now: later changes do not change the list. */
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

/** A record type of the state. State file, log, exports, imports and snapshots have those that `index.ts` lists. */
export interface Collection<Item extends object = object, T extends Table = Table, Name extends string = string> {
  /** The member of a sandbox's content that lists the records, in state files and exports: `events`. */
  readonly name: Name
  /** Returns the key that no two records of a sandbox share. */
  keyOf(item: Item): string
  /** Returns further unique keys of a record, by their names in messages; undefined where it has none. */
  otherKeys?(item: Item): Readonly<Record<string, string | undefined>>
  /** Finds faults of a record that a schema cannot describe: `/versions/1/version must be 2, its place in the list`. */
  findFaults?(item: Item): readonly string[]
  /** The operations of the log that the table applies. */
  readonly ops: readonly string[]
  /** Creates the table of a sandbox with these valid records. */
  createTable(items: readonly Item[]): T
  /** Does most of the work of a later `createTable` in slices, where it takes long. */
  prepareTable?(items: readonly Item[]): Promise<void>
}

/** A collection whose records are added, replaced and removed as a whole, and found by their key. */
export type PlainCollection<Item extends object, Name extends string = string> = Collection<
  Item,
  PlainTable<Item>,
  Name
>

/** Completes the description of a collection without operations of its own. */
export function plainCollection<Item extends object, Name extends string>(
  description: Omit<PlainCollection<Item, Name>, 'ops' | 'createTable'>,
): PlainCollection<Item, Name> {
  return {
    ...description,
    ops: ['put', 'remove'],
    createTable: (items) => new PlainTable((item: Item) => description.keyOf(item), items),
  }
}
