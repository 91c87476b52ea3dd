import { failure, type Result, success } from '../core/result.ts'
import type { SandboxExport } from './records.ts'
import { sentences } from './shape.ts'
import { exportShape } from './shapes.ts'

/** Parses the export of a sandbox. The error lists every problem, each with its place. */
export function parseExport(document: unknown): Result<SandboxExport, readonly string[]> {
  const faults = exportShape(document)
  if (faults.length > 0) return failure(sentences(faults, 'the export'))
  const { format, quality, events, prompts } = document as SandboxExport // the check has just proved the shape
  return success({ format, quality, events, prompts })
}
