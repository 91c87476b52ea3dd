import { createReadStream, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describeSyntaxError, type TextPosition } from '../../core/json-syntax.ts'
import { PRIVATE_FOLDER } from '../../documents/private-file.ts'

/** The reason for which a state file cannot be used: a part of the sentence that the user reads. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Parses JSON that begins at `start` in its file. Throws a `StateFileError` with the place of the fault. */
export function parseStateJson(text: string, start?: TextPosition): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`is not JSON: ${describeSyntaxError(text, start)}`, { cause: error })
  }
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

/**
 * Returns the file, folder or link of a path, or undefined if there is none. Rejects if the disk does not say: a state
 * that cannot be found must not be taken for a new one.
 */
export function findEntry(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
}

/** The codes of systems that cannot open or sync a folder. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'])

/** Syncs the names in a folder to the disk, where the system can: those of new and of renamed files. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, 'r')
    await folder.sync()
  } catch (error) {
    if (!UNSUPPORTED.has(systemErrorCode(error))) throw error
  } finally {
    await folder?.close()
  }
}

export const LINE_BREAK = 0x0a

/** A line of a file, without its line break. */
export interface Line {
  readonly bytes: Buffer
  /** The position of the first byte in the file. */
  readonly from: number
  /** Is false if the file ends without a line break. */
  readonly isComplete: boolean
}

/** Calls `visit` for each line of a file, of which one megabyte at a time is read. */
export async function visitLines(path: string, visit: (line: Line) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let from = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const piece: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let end = piece.indexOf(LINE_BREAK, rest.length); end !== -1; end = piece.indexOf(LINE_BREAK, at)) {
      visit({ bytes: piece.subarray(at, end), from: from + at, isComplete: true })
      at = end + 1
    }
    rest = piece.subarray(at)
    from += at
  }
  if (rest.length > 0) visit({ bytes: rest, from, isComplete: false })
}
