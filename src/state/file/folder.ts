import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemErrorCode } from './state-file-error.ts'

/**
 * Makes the folder with those above it. Not by `mkdir(path, { recursive: true })`, which never comes back from a place
 * where no folder can be made although the one above is there, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdirUnlessThere(path)
  } catch (error) {
    const above = dirname(path)
    if (systemErrorCode(error) !== 'ENOENT' || above === path) throw error
    await makeFolder(above)
    await mkdirUnlessThere(path)
  }
}

async function mkdirUnlessThere(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}
