import type { DriftSettings } from './command.ts'
import { findPatchProblem } from './patch-file.ts'

/** Finds arguments and settings of `drift` that do not fit together; undefined: none. */
export async function findArgumentProblem(
  settings: DriftSettings,
  files: readonly string[],
): Promise<string | undefined> {
  return findTrafficProblem(settings, files) ?? (await findPatchProblem(settings))
}

function findTrafficProblem(settings: DriftSettings, files: readonly string[]): string | undefined {
  const { har, journal, writes, dryRun } = settings
  const recording = har !== undefined ? '--har' : journal !== undefined ? '--journal' : undefined
  if (recording === undefined)
    return files.length > 0
      ? undefined
      : 'Give the base URL of the real service, such as https://api.example.com/v1, or recorded traffic: --har FILE or --journal FILE.'
  if (writes !== undefined) return `--writes cannot be used: ${recording} sends nothing.`
  return dryRun ? `--dry-run cannot be used: ${recording} sends nothing.` : undefined
}

/** Reads the values of `--ids`, by name. */
export function readIds(text: string | undefined): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>()
  for (const part of (text ?? '').split(',').filter((one) => one !== '')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    ids.set(name, [...(ids.get(name) ?? []), part.slice(at + 1).trim()])
  }
  return ids
}
