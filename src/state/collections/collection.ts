import { cloneJson } from '../records.ts'

/** A record as a table has it: as an object that nobody changes, or as its JSON, which takes half of the memory. */
export type HeldRecord = object | string

/** The records of one collection in one sandbox. */
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

/** A change of a collection without operations of its own: the next record of a key, if there is one. */
export interface PlainChange<Item extends object = object> {
  readonly op: 'put'
  readonly collection: string
  readonly key: string
  readonly record?: Item | undefined
}

/** A table for small records: a `Map` by key. */
export class PlainTable<Item extends object> extends Map<string, Item> implements Table<Item> {
  readonly #keyOf: (item: Item) => string

  constructor(keyOf: (item: Item) => string) {
    super()
    this.#keyOf = keyOf
  }

  list(): Item[] {
    return [...this.values()]
  }

  add(item: Item): void {
    this.set(this.#keyOf(item), item)
  }

  apply({ key, record }: PlainChange<Item>): void {
    if (record === undefined) this.delete(key)
    else this.set(key, record)
  }

  copy(): PlainTable<Item> {
    const copy = new PlainTable(this.#keyOf)
    for (const item of this.values()) copy.add(item)
    return copy
  }
}

/** A record type of the state. State file, log, exports, imports and snapshots have those that `index.ts` lists. */
export interface Collection<Item extends object = object, T extends Table = Table> {
  /** The member of a sandbox's content that lists the records, in state files and exports: `events`. */
  readonly name: string
  /** Returns the key that no two records of a sandbox share. */
  keyOf(item: Item): string
  /** Returns further unique keys of a record, by their names in messages; undefined where it has none. */
  otherKeys?(item: Item): Readonly<Record<string, string | undefined>>
  /** Finds faults of a record that a schema cannot describe: `/versions/1/version must be 2, its place in the list`. */
  findFaults?(item: Item): readonly string[]
  /** The operations of the log that the table applies. */
  readonly ops: readonly string[]
  createTable(): T
}

/** A collection whose records are added, replaced and removed as a whole, and found by their key. */
export type PlainCollection<Item extends object> = Collection<Item, PlainTable<Item>>

export function plainCollection<Item extends object>(
  description: Omit<PlainCollection<Item>, 'ops' | 'createTable'>,
): PlainCollection<Item> {
  return { ...description, ops: ['put'], createTable: () => new PlainTable(description.keyOf) }
}

/** Returns the record that `update` makes of the present one, or that one if it stays; undefined for no record. */
export function replaceRecord<Item extends object>(
  { keyOf }: PlainCollection<Item>,
  key: string,
  present: Item | undefined,
  update: (record: Item | undefined) => Item | undefined,
): Item | undefined {
  const next = update(present)
  if (next === present || next === undefined) return next
  const record = cloneJson(next)
  if (keyOf(record) !== key) throw new Error(`the record of ${key} has another key`)
  return record
}
