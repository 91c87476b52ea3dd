import schema from '../../spec/export.schema.json' with { type: 'json' }
import { loadSchema } from '../documents/load-schema.ts'
import type { PublishedSchema, SchemaCheck } from '../documents/schema.ts'
import type { Collection } from './collections/collection.ts'
import { collections, recordsOf, type StoredContent } from './collections/index.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT } from './records.ts'

/** The schema of exports, which the build precompiles. */
export const exportSchema: PublishedSchema = { name: 'export', schema }

/**
 * Checks an export by `spec/export.schema.json`, and by the rules of the collections. Each fault is a sentence that
 * begins with its place as a JSON pointer: `/events/3/impact must be from -1 to 1; got 7`. `root` names the value
 * itself.
 */
export class ExportChecks {
  readonly #schema: SchemaCheck

  private constructor(schema: SchemaCheck) {
    this.#schema = schema
  }

  static #loaded: Promise<ExportChecks> | undefined

  /** Loads the schema at the first call. */
  static load(): Promise<ExportChecks> {
    ExportChecks.#loaded ??= loadSchema(exportSchema).then((check) => new ExportChecks(check))
    return ExportChecks.#loaded
  }

  /** Checks an export by the schema. */
  document(document: unknown, root: string): readonly string[] {
    return this.#schema(document).map(({ pointer, message }) => `${pointer || root} ${message}`)
  }

  /** Checks a record by the schema. `name`, `index`: its list, and its place there. */
  record(name: string, index: number, record: unknown): readonly string[] {
    const faults = this.document({ ...emptyExport, [name]: [record] }, `/${name}/0`)
    return faults.map((fault) => fault.replace(`/${name}/0`, `/${name}/${index}`))
  }

  /** Checks an export by the rules of the collections, after the schema. Yields the faults of each record. */
  content(content: StoredContent): Iterable<readonly string[]> {
    return findContentFaults(content)
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
