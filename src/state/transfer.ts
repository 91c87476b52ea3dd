import type { SandboxExport } from './sandboxes.ts'
import { sentences } from './shape.ts'
import { exportShape } from './shapes.ts'

export type ParsedExport =
  | { readonly ok: true; readonly state: SandboxExport }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Whether this is an export of a sandbox; if not, everything that is wrong with it. */
export function parseExport(document: unknown): ParsedExport {
  const faults = exportShape(document)
  if (faults.length > 0) return { ok: false, problems: sentences(faults, 'the export') }
  const { format, quality, events, prompts } = document as SandboxExport // the check has just proved the shape
  return { ok: true, state: { format, quality, events, prompts } }
}
