import schema from '../../spec/state.schema.json' with { type: 'json' }
import { loadSchema } from '../documents/load-schema.ts'
import type { PublishedSchema, SchemaCheck } from '../documents/schema.ts'
import type { Collection } from './collections/collection.ts'
import { collections, findCollection, plainCollections, recordsOf, type StoredContent } from './collections/index.ts'
import type { Change } from './memory/state-data.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT, type SnapshotHead } from './records.ts'

/** The schema of state files, which the build precompiles. A start checks a `put` by the schema of its collection. */
export const stateSchema: PublishedSchema = {
  name: 'state',
  schema,
  definitions: ['logEntry', 'export', ...plainCollections().map((each) => each.schema)],
}

/** The content of a state file of the current format. */
export interface StateDocument {
  /** The id of the file's history. */
  readonly history: string
  /** The number of the last log entry that the file contains. 0: none. */
  readonly seq: number
  /** `open` if a log was begun beside the file. */
  readonly log: 'none' | 'open'
  readonly sandboxes: readonly SandboxDocument[]
}

type SandboxDocument = StoredContent & {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (StoredContent & SnapshotHead)[]
}

/**
 * Checks by `spec/state.schema.json`, and an export by the rules of the collections, too. Each fault is a sentence that
 * begins with its place as a JSON pointer: `/events/3/impact must be from -1 to 1; got 7`. `root` names the value
 * itself.
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

  stateFile(document: unknown, root: string): readonly string[] {
    return this.#checkSchema(document, root)
  }

  logEntry(entry: unknown, root: string): readonly string[] {
    const faults = this.#checkSchema(entry, root, 'logEntry')
    if (faults.length > 0) return faults
    const change = entry as Change // the schema has just proved it
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

  /** Checks an export by the rules of the collections, after the schema. Yields the faults of each record. */
  exportedContent(content: StoredContent): Iterable<readonly string[]> {
    return findContentFaults(content)
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

/** Yields the faults of each valid record that the schema cannot describe. */
function* findContentFaults(content: StoredContent): Generator<readonly string[]> {
  for (const collection of collections) {
    const findRepeatedKeys = createRepeatFinder(collection)
    for (const [index, item] of recordsOf(content, collection).entries()) {
      const faults = [...(collection.findFaults?.(item) ?? []), ...findRepeatedKeys(item)]
      yield faults.map((fault) => `/${collection.name}/${index}${fault}`)
    }
  }
}

/** Returns a function that finds the keys of a record that an earlier one has, for each kind of key the first time. */
function createRepeatFinder(collection: Collection): (item: object) => string[] {
  const earlier = new Map<string, Set<string>>()
  const repeatedKinds = new Set<string>()
  return (item) => {
    const faults: string[] = []
    // Ids are UUIDs, whose case does not count.
    const keys = { key: collection.keyOf(item).toLowerCase(), ...collection.otherKeys?.(item) }
    for (const [kind, key] of Object.entries(keys)) {
      if (key === undefined) continue
      const known = earlier.get(kind) ?? new Set()
      if (known.has(key) && !repeatedKinds.has(kind)) {
        repeatedKinds.add(kind)
        faults.push(` must not repeat the ${kind} ${key} of an earlier record`)
      }
      earlier.set(kind, known.add(key))
    }
    return faults
  }
}
