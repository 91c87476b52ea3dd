import schema from '../../spec/export.schema.json' with { type: 'json' }
import { isObject } from '../core/json.ts'
import { once } from '../core/once.ts'
import { failure, type Result, success } from '../core/result.ts'
import { SlicedWork } from '../core/slices.ts'
import { loadSchema } from '../documents/load-schema.ts'
import type { PublishedSchema, SchemaCheck } from '../documents/schema.ts'
import { MAX_ERRORS } from '../documents/violations.ts'
import { cloneJson } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import { collections } from './collections/index.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT } from './records.ts'
import type { SandboxExport } from './store.ts'

/** The schema of exports, which the build precompiles. */
export const exportSchema: PublishedSchema = { name: 'export', schema }

const loadCheck = once(() => loadSchema(exportSchema))

/** The sentence for the problems that were not looked for. */
const moreFaults = `the export may break more rules: the check stops after ${MAX_ERRORS} errors`

/** An export without records. */
const emptyExport = {
  format: EXPORT_FORMAT,
  quality: DEFAULT_QUALITY,
  ...Object.fromEntries(collections.map(({ name }) => [name, []])),
}

/**
 * Parses a copy of the export of a sandbox in slices, between which other requests are answered. It is checked by
 * `spec/export.schema.json`, its valid records also by the rules of their collections. The error lists the problems.
 * Each is a sentence that begins with its place as a JSON pointer: `/events/3/impact must be from -1 to 1; got 7`.
 */
export async function parseExport(document: unknown): Promise<Result<SandboxExport, readonly string[]>> {
  const check = await loadCheck()
  const findFrameFaults = (frame: unknown) =>
    check(frame).map(({ pointer, message }) => `${pointer || 'the export'} ${message}`)
  if (!isObject(document)) return failure(findFrameFaults(document))
  const work = new SlicedWork()
  const quality = cloneJson(document['quality'])
  const listed = collections.filter(({ name }) => Array.isArray(document[name]))
  const lists = Object.fromEntries(listed.map(({ name }) => [name, [...(document[name] as unknown[])]]))
  // The records are checked one by one.
  const faults = findFrameFaults({ ...document, ...Object.fromEntries(listed.map(({ name }) => [name, []])) })
  for (const collection of listed) {
    const records = lists[collection.name] ?? []
    const findFaults = createRecordCheck(check, collection)
    for (const [index, record] of records.entries()) {
      if (faults.length >= MAX_ERRORS) return failure([...faults, moreFaults])
      if (work.isDue) await work.rest()
      records[index] = cloneJson(record)
      faults.push(...findFaults(records[index]).map((fault) => `/${collection.name}/${index}${fault}`))
    }
  }
  if (faults.length > 0) return failure(faults)
  return success({ ...emptyExport, quality, ...lists } as unknown as SandboxExport) // which was just checked
}

/** Returns a function that finds the faults of a record by the schema, or else those that no schema can describe. */
function createRecordCheck(check: SchemaCheck, collection: Collection): (record: unknown) => readonly string[] {
  const { name } = collection
  const findRepeatedKeys = createRepeatFinder(collection)
  return (record) => {
    const faults = check({ ...emptyExport, [name]: [record] })
    if (faults.length > 0)
      return faults.map(({ pointer, message }) => `${pointer.replace(`/${name}/0`, '')} ${message}`)
    const valid = record as object
    return [...(collection.findFaults?.(valid) ?? []), ...findRepeatedKeys(valid)]
  }
}

/** Returns a function that finds the keys of a record that an earlier one has, for each kind of key the first time. */
function createRepeatFinder({ keyOf, otherKeys }: Collection): (record: object) => string[] {
  const earlier = new Set<string>()
  const repeatedKinds = new Set<string>()
  return (record) => {
    const faults: string[] = []
    // Ids are UUIDs, whose case does not count.
    const keys = { key: keyOf(record).toLowerCase(), ...otherKeys?.(record) }
    for (const [kind, key] of Object.entries(keys)) {
      const named = `${kind} ${key}`
      if (key !== undefined && earlier.has(named) && !repeatedKinds.has(kind)) {
        repeatedKinds.add(kind)
        faults.push(` must not repeat the ${named} of an earlier record`)
      }
      earlier.add(named)
    }
    return faults
  }
}
