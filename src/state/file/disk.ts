import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describeSyntaxError } from '../../base/core/json-syntax.ts'
import { reasonOf } from '../../base/core/result.ts'
import { SlicedWork } from '../../base/core/slices.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/documents/private-file.ts'

/** A fault of a state file or its log: the place and the reason, as the beginning of a sentence. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Throws the error for a fault at a place, such as `The log state.json.journal, line 3:`. */
export function failAt(place: string, error: unknown): never {
  const fault = error instanceof StateFileError ? error.message : `cannot be used (${reasonOf(error)})`
  throw new StateFileError(`${place} ${fault}`, { cause: error })
}

/** Parses JSON. Throws a `StateFileError` with the place of the fault. */
export function parseStateJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`is not JSON: ${describeSyntaxError(text)}`, { cause: error })
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
export function createFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) createFolder(dirname(path))
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error // by another process
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
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    if (!UNSUPPORTED.has(systemErrorCode(error))) throw error
  }
}

/**
 * Replaces a file, which stays until the content of the new one is on the disk. `check` throws if this process may not
 * replace it any more.
 */
export async function replaceFile(path: string, content: AsyncIterable<string>, check: () => void): Promise<void> {
  const temporary = `${path}.tmp`
  rmSync(temporary, { force: true }) // of a process that died, or a link that another program made
  const file = await open(temporary, 'wx', PRIVATE_FILE)
  try {
    await writeFile(file, content)
    await file.sync()
    await file.close()
    check()
    renameSync(temporary, path)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true }).catch(() => undefined) // the next write tries again
    throw error
  }
  await syncFolder(dirname(path))
}

export const LINE_BREAK = 0x0a

/** The number of bytes that are read of a file at once. */
const PIECE_BYTES = 1024 * 1024

/**
 * Calls `visit` for each line of a file of any size, with its line break, which the last one may lack. Other requests
 * are handled between two pieces. The first stream of a process would take 2 ms more of a start.
 */
export async function visitLines(path: string, visit: (line: Buffer) => void): Promise<void> {
  const work = new SlicedWork()
  const file = await open(path)
  const readPiece = async () => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE_BYTES))
    return buffer.subarray(0, bytesRead)
  }
  try {
    let begun: Buffer[] = [] // the pieces of the line that has not ended yet
    for (let piece = await readPiece(); piece.length > 0; piece = await readPiece()) {
      let at = 0
      for (let end = piece.indexOf(LINE_BREAK); end !== -1; end = piece.indexOf(LINE_BREAK, at)) {
        const line = piece.subarray(at, end + 1)
        visit(begun.length === 0 ? line : Buffer.concat([...begun, line]))
        begun = []
        at = end + 1
      }
      if (at < piece.length) begun.push(piece.subarray(at))
      if (work.isDue) await work.rest()
    }
    if (begun.length > 0) visit(Buffer.concat(begun))
  } finally {
    await file.close()
  }
}
