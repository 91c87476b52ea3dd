import schema from '../../spec/state.schema.json' with { type: 'json' }
import { loadSchema } from '../documents/load-schema.ts'
import type { PublishedSchema, SchemaCheck } from '../documents/schema.ts'
import { collections, findCollection, plainCollections, type StoredContent } from './collections/index.ts'
import type { Change } from './memory/state-data.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT } from './records.ts'

/** The schema of state files and logs, which the build precompiles. A `put` is checked by that of its collection. */
export const stateSchema: PublishedSchema = {
  name: 'state',
  schema,
  definitions: ['logEntry', 'export', ...plainCollections().map((each) => each.schema)],
}

/** An entry of a file: a change with its number and checksum, and the content of an import as JSON. */
export type StoredChange = { readonly seq: number; readonly crc: string } & (
  | Exclude<Change, { readonly op: 'import' }>
  | { readonly op: 'import'; readonly sandbox: string; readonly state: StoredContent }
)

/**
 * Checks by `spec/state.schema.json`. Each fault is a sentence that begins with its place as a JSON pointer:
 * `/events/3/impact must be from -1 to 1; got 7`. `root` names the value itself.
 */
export class StateChecks {
  readonly #schema: SchemaCheck

  private constructor(schema: SchemaCheck) {
    this.#schema = schema
  }

  static #loaded: Promise<StateChecks> | undefined

  /** Compiles the schema at the first call. */
  static load(): Promise<StateChecks> {
    StateChecks.#loaded ??= loadSchema(stateSchema).then((check) => new StateChecks(check))
    return StateChecks.#loaded
  }

  /** Checks the header of a state file or a log. */
  header(header: unknown, root: string): readonly string[] {
    return this.#checkSchema(header, root)
  }

  logEntry(entry: unknown, root: string): readonly string[] {
    const faults = this.#checkSchema(entry, root, 'logEntry')
    if (faults.length > 0) return faults
    const change = entry as StoredChange // the schema has just proved it
    if (change.op !== 'put' && change.op !== 'remove') return []
    const collection = findCollection(change)
    if (collection === undefined) {
      const { op, collection: given } = change
      return [`/collection must name a collection with the operation ${op}; got "${given}"`]
    }
    return change.op === 'put' ? this.#checkSchema(change.record, '', collection.schema, '/record') : []
  }

  /** Checks the export of a sandbox by the schema. It may be written by hand. */
  export(document: unknown, root: string): readonly string[] {
    return this.#checkSchema(document, root, 'export')
  }

  /** Checks a record of an export by the schema. `name`, `index`: its list, and its place there. */
  exportedRecord(name: string, index: number, record: unknown): readonly string[] {
    const faults = this.export({ ...emptyExport, [name]: [record] }, `/${name}/0`)
    return faults.map((fault) => fault.replace(`/${name}/0`, `/${name}/${index}`))
  }

  #checkSchema(value: unknown, root: string, definition?: string, place = ''): readonly string[] {
    const faults = this.#schema(value, definition)
    // Two definitions of a value can have a rule in common.
    return [...new Set(faults.map(({ pointer, message }) => `${place + pointer || root} ${message}`))]
  }
}

/** An export without records. */
const emptyExport = {
  format: EXPORT_FORMAT,
  quality: DEFAULT_QUALITY,
  ...Object.fromEntries(collections.map(({ name }) => [name, []])),
}
