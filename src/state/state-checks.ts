import schema from '../../spec/state.schema.json' with { type: 'json' }
import { loadSchema } from '../documents/load-schema.ts'
import type { PublishedSchema, SchemaCheck } from '../documents/schema.ts'
import type { Collection } from './collections/collection.ts'
import { collections, findCollection, recordsOf, type StoredContent } from './collections/index.ts'
import type { Change } from './memory/state-data.ts'
import type { SnapshotHead } from './records.ts'

/** The schema of state files, which the build precompiles. A start checks a `put` by the schema of its collection. */
export const stateSchema: PublishedSchema = {
  name: 'state',
  schema,
  definitions: [
    'logEntry',
    'export',
    ...collections.filter(({ ops }) => ops.includes('put')).map((each) => each.schema),
  ],
}

/** The content of a state file of the current format. */
export interface StateDocument {
  /** The id of the file's history. */
  readonly history: string
  /** The number of the last log entry that the file contains. 0: none. */
  readonly seq: number
  /** The mark of the newest log file that was begun. Undefined: the file was written by an earlier version. */
  readonly log?: string
  readonly sandboxes: readonly SandboxDocument[]
}

type SandboxDocument = StoredContent & {
  readonly name: string
  readonly snapshotsTaken: number
  readonly snapshots: readonly (StoredContent & SnapshotHead)[]
}

/**
 * Checks by `spec/state.schema.json`, and by the rules of the collections. Each fault is a sentence that begins with its place as a
 * JSON pointer: `/events/3/impact must be from -1 to 1; got 7`. `root` names the value itself.
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
    const faults = this.#checkSchema(document, root)
    if (faults.length > 0) return faults
    const { sandboxes } = document as StateDocument // the schema has just proved it
    return sandboxes.flatMap((sandbox, index) => [
      ...checkContent(sandbox, `/sandboxes/${index}`),
      ...sandbox.snapshots.flatMap((snapshot, at) =>
        checkContent(snapshot, `/sandboxes/${index}/snapshots/${at}`),
      ),
    ])
  }

  logEntry(entry: unknown, root: string): readonly string[] {
    const faults = this.#checkSchema(entry, root, 'logEntry')
    if (faults.length > 0) return faults
    const change = entry as Change // the schema has just proved it
    if (change.op === 'import') return checkContent(change.state, '/state')
    if (change.op !== 'put' && change.op !== 'remove') return []
    const collection = findCollection(change)
    if (collection === undefined) {
      const { op, collection: given } = change
      return [`/collection must name a collection with the operation ${op}; got "${given}"`]
    }
    return change.op === 'put' ? this.#checkSchema(change.record, '', collection.schema, '/record') : []
  }

  /** Checks the export of a sandbox, which may be written by hand. */
  export(document: unknown, root: string): readonly string[] {
    const faults = this.#checkSchema(document, root, 'export')
    if (faults.length > 0) return faults
    const content = document as StoredContent // the schema has just proved it
    // The ids of an export are UUIDs, whose case does not count; state files may have older ids.
    return checkContent(content, '', (id) => id.toLowerCase())
  }

  #checkSchema(value: unknown, root: string, definition?: string, place = ''): readonly string[] {
    const sentences = this.#schema(value, definition).map(
      ({ pointer, message }) => `${place + pointer || root} ${message}`,
    )
    return [...new Set(sentences)] // two definitions of a value can have a rule in common
  }
}

/** Finds the faults of valid records that the schema cannot describe. `toSameId`: returns the same text for ids that count as equal. */
function checkContent(
  content: StoredContent,
  place: string,
  toSameId = (id: string) => id,
): readonly string[] {
  return collections.flatMap((collection) => {
    const items = recordsOf(content, collection)
    const at = `${place}/${collection.name}`
    const own = items.flatMap((item, index) =>
      (collection.findFaults?.(item) ?? []).map((fault) => `${at}/${index}${fault}`),
    )
    return [...own, ...findRepeatedKeys(collection, items, at, toSameId)]
  })
}

/** Finds the first record that repeats a key, for each kind of key. */
function findRepeatedKeys(
  collection: Collection,
  items: readonly object[],
  at: string,
  toSameId: (id: string) => string,
): readonly string[] {
  const earlier = new Map<string, Set<string>>()
  const faults = new Map<string, string>()
  for (const [index, item] of items.entries()) {
    for (const [kind, key] of Object.entries({
      key: toSameId(collection.keyOf(item)),
      ...collection.otherKeys?.(item),
    })) {
      if (key === undefined) continue
      const keys = earlier.get(kind) ?? new Set()
      if (keys.has(key) && !faults.has(kind))
        faults.set(kind, `${at}/${index} must not repeat the ${kind} ${key} of an earlier record`)
      earlier.set(kind, keys.add(key))
    }
  }
  return [...faults.values()]
}
