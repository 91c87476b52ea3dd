import { failure, type Result, success } from '../core/result.ts'
import type { SandboxExport } from './records.ts'
import { sentences } from './shape.ts'
import { exportShape } from './shapes.ts'

/** Whether this is an export of a sandbox; if not, everything that is wrong with it. */
export function parseExport(document: unknown): Result<SandboxExport, readonly string[]> {
  const faults = exportShape(document)
  if (faults.length > 0) return failure(sentences(faults, 'the export'))
  const { format, quality, events, prompts } = document as SandboxExport // the check has just proved the shape
  return success({ format, quality, events, prompts })
}
