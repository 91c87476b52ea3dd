import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PRIVATE_FOLDER } from '../../documents/private-file.ts'

/** The reason for which a state file cannot be used: a part of the sentence that the user reads. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Returns the code of an error of the operating system, such as `ENOSPC`, or undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Creates a folder and its parents. `mkdir(path, { recursive: true })` never returns where no folder can be created
 * although the parent exists, such as below /proc.
 */
export async function createFolder(path: string, createsParents = true): Promise<void> {
  try {
    await mkdir(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || !createsParents || dirname(path) === path) throw error
    await createFolder(dirname(path))
    await createFolder(path, false)
  }
}

/** Syncs the names in a folder to the disk: those of new and of renamed files. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined) // some systems cannot open a folder
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}
