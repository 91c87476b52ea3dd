import { isObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { SlicedWork } from '../core/slices.ts'
import { MAX_ERRORS } from '../documents/violations.ts'
import { cloneJson } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import { collections } from './collections/index.ts'
import { EXPORT_FORMAT } from './records.ts'
import { StateChecks } from './state-checks.ts'
import type { SandboxExport } from './store.ts'

/** The sentence for the problems that were not looked for. */
const moreFaults = `the export may break more rules: the check stops after ${MAX_ERRORS} errors`

/**
 * Parses a copy of the export of a sandbox in slices, between which other requests are answered. The error lists the
 * problems, each with its place.
 */
export async function parseExport(document: unknown): Promise<Result<SandboxExport, readonly string[]>> {
  const checks = await StateChecks.load()
  const given: Readonly<Record<string, unknown>> = isObject(document) ? document : {}
  const quality = cloneJson(given['quality'])
  const lists = new Map<string, unknown[]>()
  for (const { name } of collections) if (Array.isArray(given[name])) lists.set(name, [...given[name]])
  const empty = Object.fromEntries(Array.from(lists.keys(), (name) => [name, []]))
  const ownFaults = checks.export(isObject(document) ? { ...document, ...empty } : document, 'the export')
  const faults = [...ownFaults, ...(await copyRecords(lists, checks, MAX_ERRORS - ownFaults.length))]
  if (faults.length > 0) return failure(faults)
  const all = Object.fromEntries(collections.map(({ name }) => [name, lists.get(name) ?? []]))
  // The checks have just proved it.
  return success({ format: EXPORT_FORMAT, quality, ...all } as unknown as SandboxExport)
}

/** Replaces the records of lists by copies. Returns the faults of the records, not many more than `limit`. */
async function copyRecords(
  lists: ReadonlyMap<string, unknown[]>,
  checks: StateChecks,
  limit: number,
): Promise<readonly string[]> {
  const work = new SlicedWork()
  const faults: string[] = []
  for (const collection of collections) {
    const records = lists.get(collection.name) ?? []
    const check = createRecordCheck(collection, checks)
    for (const [index, record] of records.entries()) {
      if (faults.length >= limit) return [...faults, moreFaults]
      if (work.isDue) await work.rest()
      records[index] = cloneJson(record)
      faults.push(...check(records[index], index))
    }
  }
  return faults
}

/**
 * Returns a function that checks the records of a collection one after the other: by the schema, by the collection's
 * own rules, and for keys that an earlier record has. The case of letters of ids does not count.
 */
function createRecordCheck(collection: Collection, checks: StateChecks) {
  const { name } = collection
  const earlier = new Map<string, Set<string>>()
  return (record: unknown, index: number): readonly string[] => {
    const schemaFaults = checks.exportedRecord(name, index, record)
    if (schemaFaults.length > 0) return schemaFaults
    const item = record as object // the schema has just proved it
    const faults = [...(collection.findFaults?.(item) ?? [])]
    const keys = { key: collection.keyOf(item).toLowerCase(), ...collection.otherKeys?.(item) }
    for (const [kind, key] of Object.entries(keys)) {
      if (key === undefined) continue
      const known = earlier.get(kind) ?? new Set()
      if (known.has(key)) faults.push(` must not repeat the ${kind} ${key} of an earlier record`)
      earlier.set(kind, known.add(key))
    }
    return faults.map((fault) => `/${name}/${index}${fault}`)
  }
}
