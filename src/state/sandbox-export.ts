import { failure, type Result, success } from '../core/result.ts'
import { collections, recordsOf, type StoredContent } from './collections/index.ts'
import { EXPORT_FORMAT } from './records.ts'
import { StateChecks } from './state-checks.ts'
import type { SandboxExport } from './store.ts'

/** Parses the export of a sandbox. The error lists every problem, each with its place. */
export async function parseExport(document: unknown): Promise<Result<SandboxExport, readonly string[]>> {
  const checks = await StateChecks.load()
  const faults = checks.export(document, 'the export')
  if (faults.length > 0) return failure(faults)
  const content = document as StoredContent // the check has just proved it
  const records = collections.map((collection) => [collection.name, recordsOf(content, collection)])
  return success({ format: EXPORT_FORMAT, quality: content.quality, ...Object.fromEntries(records) })
}
