import { deepFreeze } from '../clone.ts'
import type { Collection } from '../collections/collection.ts'
import {
  type CollectionChange,
  collections,
  countEach,
  findCollection,
  type RecordCounts,
  recordsOf,
  type SandboxContent,
  type StoredContent,
} from '../collections/index.ts'
import { DEFAULT_QUALITY, type QualitySettings } from '../records.ts'
import type { Table, TableRecord } from './table.ts'

type Tables = ReadonlyMap<string, Table>

/** The data of one sandbox: its quality settings, and a table for each collection. */
export class SandboxData {
  quality: QualitySettings
  readonly #tables: Tables

  private constructor(quality: QualitySettings, tables: Tables) {
    this.quality = quality
    this.#tables = tables
  }

  /** Creates the data from valid content. Default: the data of a new sandbox. */
  static of(content: StoredContent = { quality: DEFAULT_QUALITY }): SandboxData {
    const tables = collections.map(
      (collection) => [collection.name, collection.createTable(recordsOf(content, collection))] as const,
    )
    return new SandboxData(content.quality, new Map(tables))
  }

  table<Item extends object, T extends Table<Item>>(collection: Collection<Item, T>): T {
    return this.#tables.get(collection.name) as T // created by this collection
  }

  /** Applies a change to the table of its collection. Throws if the change names a record that does not exist. */
  apply(change: CollectionChange): void {
    const collection = findCollection(change)
    if (collection === undefined) throw new Error(`no collection has the operation ${change.op}`)
    this.table(collection).apply(change)
  }

  /** Returns a copy that changes apart from this data. It shares the records, so it costs lists of references. */
  copy(): SandboxData {
    const tables = Array.from(this.#tables, ([name, table]) => [name, table.copy()] as const)
    return new SandboxData(this.quality, new Map(tables))
  }

  count(): RecordCounts {
    return countEach((collection) => this.table(collection).size)
  }

  /** Reads the content as it is now. */
  async read(): Promise<SandboxContent> {
    const copy = this.copy()
    const content: Record<string, unknown> = { quality: deepFreeze(copy.quality) }
    for (const collection of collections) content[collection.name] = await copy.table(collection).readAll()
    return content as SandboxContent // has the records of each collection
  }

  /** Yields the JSON of the content, without its braces, in small pieces. `list` yields the records of a collection. */
  *text(list: (records: Iterable<TableRecord>) => Iterable<string>): Generator<string> {
    yield `      "quality": ${JSON.stringify(this.quality)}`
    for (const [name, table] of this.#tables) {
      yield `,\n      ${JSON.stringify(name)}: [`
      yield* list(table.records())
      yield ']'
    }
  }
}
