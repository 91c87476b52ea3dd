import type { Table } from './table.ts'

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

  /** Returns the record under a key. Undefined: there is none. */
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
