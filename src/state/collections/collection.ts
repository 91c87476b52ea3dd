import { PLAIN_OPS, PlainTable, type Table } from '../memory/table.ts'

/** A record type of the state. State file, log, exports, imports and snapshots have those that `index.ts` lists. */
export interface Collection<Item extends object = object, T extends Table = Table, Name extends string = string> {
  /** The member of a sandbox's content that lists the records, in state files and exports: `events`. */
  readonly name: Name
  /** The name of the record's schema among the `$defs` of `spec/state.schema.json`: `event`. */
  readonly schema: string
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
    ops: PLAIN_OPS,
    createTable: (items) => new PlainTable((item: Item) => description.keyOf(item), items),
  }
}
