import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
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
 * Creates a folder and its parents. `mkdir` with `recursive` never returns where no folder can be created although the
 * parent exists, such as below /proc.
 */
export function createFolder(path: string, createsParents = true): void {
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || !createsParents || dirname(path) === path) throw error
    createFolder(dirname(path))
    createFolder(path, false)
  }
}

/**
 * Returns the file, folder or link of a path, or undefined if there is none. Throws if the disk does not say: a state
 * that cannot be found must not be taken for a new one.
 */
export function findEntry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
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

const PIECE_BYTES = 1024 * 1024

/** Yields bytes of a file, one megabyte at a time. The first stream of a process would take 2 ms more of a start. */
export async function* readPieces(path: string, start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    for (let at = start; at < end; ) {
      const length = Math.min(PIECE_BYTES, end - at)
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Calls `visit` for each line of a file. */
export async function visitLines(path: string, visit: (line: Line) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let from = 0
  for await (const chunk of readPieces(path)) {
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
