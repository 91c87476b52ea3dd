import { isObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { SlicedWork } from '../core/slices.ts'
import { MAX_ERRORS } from '../documents/violations.ts'
import { cloneJson } from './clone.ts'
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
  const work = new SlicedWork()
  const head = withoutRecords(document)
  const quality = isObject(head) ? cloneJson(head['quality']) : null
  const lists = new Map(collections.map(({ name }) => [name, copyList(document, name)]))
  const faults = [...checks.export(head, 'the export'), ...(await copyRecords(lists, checks, work))]
  if (faults.length > 0) return failure(faults)
  // The checks have just proved it.
  const content = { format: EXPORT_FORMAT, quality, ...Object.fromEntries(lists) } as unknown as SandboxExport
  for (const fault of checks.exportedContent(content)) {
    if (fault !== undefined) faults.push(fault)
    if (work.isDue) await work.rest()
  }
  return faults.length > 0 ? failure(faults) : success(content)
}

/** Replaces the records of lists by copies. Returns the faults of the records, up to `MAX_ERRORS`. */
async function copyRecords(
  lists: ReadonlyMap<string, unknown[]>,
  checks: StateChecks,
  work: SlicedWork,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const [name, records] of lists) {
    for (const [index, record] of records.entries()) {
      if (faults.length >= MAX_ERRORS) return [...faults, moreFaults]
      if (work.isDue) await work.rest()
      const copy = cloneJson(record)
      records[index] = copy
      faults.push(...checks.exportedRecord(name, index, copy))
    }
  }
  return faults
}

/** Returns a copy of a list of the document; an empty one if the document has none. */
function copyList(document: unknown, name: string): unknown[] {
  const list = isObject(document) ? document[name] : undefined
  return Array.isArray(list) ? [...list] : []
}

/** Returns the document with empty lists, so that each of their records can be checked in a step of its own. */
function withoutRecords(document: unknown): unknown {
  if (!isObject(document)) return document
  const empty = collections.filter(({ name }) => Array.isArray(document[name])).map(({ name }) => [name, []])
  return { ...document, ...Object.fromEntries(empty) }
}
