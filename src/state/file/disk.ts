import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { reasonOf } from '../../base/core/result.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/documents/private-file.ts'

/** A problem with a state file or its log. The message, such as `is empty`, follows the location that `failAt` adds. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Rethrows an error as a `StateFileError` with its location, such as `Line 3 of the log state.json.journal`. */
export function failAt(location: string, error: unknown): never {
  const problem = error instanceof StateFileError ? error.message : `cannot be used (${reasonOf(error)})`
  throw new StateFileError(`${location} ${problem}`, { cause: error })
}

/** Returns the code of an operating system error, such as `ENOSPC`; undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/**
 * Creates a folder and its parents. Does not use `mkdir` with `recursive`, which never returns if an existing parent,
 * such as `/proc`, does not allow new folders.
 */
export function createFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) createFolder(dirname(path))
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error // EEXIST: another process created the folder
  }
}

/** Returns the stats of the entry at a path; undefined if there is none. Throws if the path cannot be checked. */
export function findEntry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Returns the stats for an open file's path, or the reason why the path no longer leads to that file. */
export function statOpenFile(path: string, inode: number): Stats | string {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return `${path} was removed or moved`
    return found.ino === inode ? found : `${path} was replaced by another process`
  } catch (error) {
    return `${path} can no longer be found (${reasonOf(error)})`
  }
}

/** The codes of the errors thrown on systems that cannot open or sync a folder. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'])

/** Syncs a folder's entries (new and renamed files) to disk, if the system supports this. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    if (!UNSUPPORTED.has(systemErrorCode(error))) throw error
  }
}

/** Replaces a file after syncing its new content to disk. `check` throws if this process must not replace the file. */
export async function replaceFile(path: string, content: AsyncIterable<string>, check: () => void): Promise<void> {
  const temporary = `${path}.tmp`
  rmSync(temporary, { force: true }) // left behind by a dead process, or a link that another program created
  const file = await open(temporary, 'wx', PRIVATE_FILE)
  try {
    await writeFile(file, content)
    await file.sync()
    await file.close()
    check()
    renameSync(temporary, path)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true }).catch(() => undefined) // the next write removes a leftover file
    throw error
  }
  await syncFolder(dirname(path))
}

function formatChecksum(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}

/** The beginning of a line with a checksum. The zeros are a placeholder for the checksum. */
export const SEAL = '{"crc":"00000000",'

function sealOf(line: Buffer): string {
  return SEAL.replace('00000000', formatChecksum(crc32(line.subarray(SEAL.length))))
}

/** Fills in the checksum of a line that begins with `SEAL`. The line must not include its line break. */
export function sealLine(line: Buffer): void {
  line.write(sealOf(line), 'latin1')
}

export function isSealed(line: Buffer): boolean {
  return line.toString('latin1', 0, SEAL.length) === sealOf(line)
}

/** The beginning of a state file's last lines, which contain the file's checksum. */
export const TRAILER = '  "checksum": "'

export function formatTrailer(checksum: number): string {
  return `${TRAILER}${formatChecksum(checksum)}"\n}\n`
}
