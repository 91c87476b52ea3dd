import { failure, type Result, success } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { readSource } from '../documents/read-source.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { parseExport } from '../state/sandbox-export.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import { nameFlags } from './loaded-inputs.ts'

/** Loads the export that the default sandbox starts with and is reset to (`--seed-state`); undefined without a file. */
export async function loadSeedState(
  file: string | undefined,
): Promise<Result<SandboxExport | undefined, Findings>> {
  if (file === undefined) return success(undefined)
  const source = await readSource(file)
  if (!source.ok) return failure(nameFlags(source.error, { seedState: file }))
  const parsed = await parseExport(source.value.value)
  if (parsed.ok) return success(parsed.value)
  const findings = parsed.error.map((message) => ({ severity: 'error', place: file, message }) as const)
  return failure(findings)
}

/** Imports the seed state into the default sandbox, unless it has events or prompts of an earlier run. */
export async function seedDefaultSandbox(store: Store, seedState: SandboxExport | undefined): Promise<void> {
  if (seedState) await store.importIfEmpty(defaultSandbox, seedState)
}
