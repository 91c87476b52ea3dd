import { isObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { SlicedWork } from '../core/slices.ts'
import { MAX_ERRORS } from '../documents/violations.ts'
import { cloneJson } from './clone.ts'
import { collections } from './collections/index.ts'
import { ExportChecks } from './export-checks.ts'
import { EXPORT_FORMAT } from './records.ts'
import type { SandboxExport } from './store.ts'

/** The sentence for the problems that were not looked for. */
const moreFaults = `the export may break more rules: the check stops after ${MAX_ERRORS} errors`

/**
 * Parses a copy of the export of a sandbox in slices, between which other requests are answered. The error lists the
 * problems, each with its place.
 */
export async function parseExport(document: unknown): Promise<Result<SandboxExport, readonly string[]>> {
  const checks = await ExportChecks.load()
  const work = new SlicedWork()
  const given: Readonly<Record<string, unknown>> = isObject(document) ? document : {}
  const quality = cloneJson(given['quality'])
  const lists = new Map<string, unknown[]>()
  for (const { name } of collections) if (Array.isArray(given[name])) lists.set(name, [...given[name]])
  const empty = Object.fromEntries(Array.from(lists.keys(), (name) => [name, []]))
  // The records are checked one by one.
  const faults = [...checks.document(isObject(document) ? { ...document, ...empty } : document, 'the export')]
  faults.push(...(await copyRecords(lists, checks, work)))
  if (faults.length > 0) return failure(faults)
  const all = Object.fromEntries(collections.map(({ name }) => [name, lists.get(name) ?? []]))
  // The checks have just proved it.
  const content = { format: EXPORT_FORMAT, quality, ...all } as unknown as SandboxExport
  for (const found of checks.content(content)) {
    faults.push(...found)
    if (work.isDue) await work.rest()
  }
  return faults.length > 0 ? failure(faults) : success(content)
}

/** Replaces the records of lists by copies. Returns the faults of the records, up to `MAX_ERRORS`. */
async function copyRecords(
  lists: ReadonlyMap<string, unknown[]>,
  checks: ExportChecks,
  work: SlicedWork,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const [name, records] of lists) {
    for (const [index, record] of records.entries()) {
      if (faults.length >= MAX_ERRORS) return [...faults, moreFaults]
      if (work.isDue) await work.rest()
      records[index] = cloneJson(record)
      faults.push(...checks.record(name, index, records[index]))
    }
  }
  return faults
}
