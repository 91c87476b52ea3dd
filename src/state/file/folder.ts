import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PRIVATE_FOLDER } from '../../documents/private-file.ts'
import { systemErrorCode } from './state-file-error.ts'

/**
 * Creates a folder and its parents. `mkdir(path, { recursive: true })` never returns where no folder can be created
 * although the parent exists, such as below /proc.
 */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdirUnlessExists(path)
  } catch (error) {
    const parent = dirname(path)
    if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error
    await createFolder(parent)
    await mkdirUnlessExists(path)
  }
}

async function mkdirUnlessExists(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

/** Syncs the names in a folder to the disk: those of new and of renamed files. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined) // some systems cannot open a folder
  try {
    await folder?.sync().catch(() => undefined)
  } finally {
    await folder?.close()
  }
}
