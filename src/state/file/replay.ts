import { constants } from 'node:fs'
import { chmod, copyFile, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { reasonOf } from '../../core/result.ts'
import type { StateData } from '../memory/state-data.ts'
import { StateChecks } from '../state-checks.ts'
import { syncFolder } from './folder.ts'
import { OLDEST_FORMAT } from './format.ts'
import { readLines } from './lines.ts'
import { type HistoryPosition, LogReader } from './log-reader.ts'
import { PRIVATE_FILE } from './private-file.ts'
import { StateFileError } from './state-file-error.ts'
import type { LogFile } from './write-ahead-log.ts'

/** A log file that was replayed. */
export interface ReplayedFile extends LogFile {
  /** True: the last entry is complete but for its line break. */
  readonly lacksLineBreak: boolean
}

/** The outcome of replaying the log. */
export interface ReplayResult {
  /** The number of the last entry that the state contains. */
  readonly seq: number
  /** The number of entries that were applied. */
  readonly entries: number
  readonly files: readonly ReplayedFile[]
  /** A sentence about the entry that a crash cut off. Absent: the log is complete. */
  readonly cutOff?: string
}

const READ_ONLY = 0o400

/**
 * Applies the log entries after those of the state file to the state. Throws a `StateFileError` with the place of a broken entry.
 * The last file is made read-only first, so that a process that lost its lock acknowledges no entry that is not read here.
 */
export async function replayLog(
  base: string,
  state: StateData,
  start: HistoryPosition,
): Promise<ReplayResult> {
  const found = await findLogFiles(base)
  const last = found.at(-1)?.path
  if (last === undefined) return { seq: start.seq, entries: 0, files: [] }
  await chmod(last, READ_ONLY).catch(() => undefined) // a file of another user, which is replaced later
  try {
    return await replayFiles(found, state, start)
  } catch (error) {
    await chmod(last, PRIVATE_FILE).catch(() => undefined)
    throw error
  }
}

async function replayFiles(
  found: readonly FoundFile[],
  state: StateData,
  start: HistoryPosition,
): Promise<ReplayResult> {
  const checks = await StateChecks.load()
  const reader = new LogReader(start, checks, (change) => state.apply(change))
  const files: ReplayedFile[] = []
  for (const { path, generation } of found) {
    const isLast = files.length === found.length - 1
    files.push({ path, generation, ...(await replayFile(reader, path, isLast)) })
  }
  const { seq, entries, end, cutOff } = reader
  const path = found.at(-1)?.path
  if (start.format > OLDEST_FORMAT && end < start.seq) {
    const message = `${path} ends with entry ${end}, and the state file contains entry ${start.seq}: they do not belong together`
    throw new StateFileError(message)
  }
  return { seq, entries, files, ...(cutOff !== undefined && { cutOff: `${path}, ${cutOff}` }) }
}

type LogContent = Pick<ReplayedFile, 'bytes' | 'lacksLineBreak'>

async function replayFile(reader: LogReader, path: string, isLast: boolean): Promise<LogContent> {
  try {
    if (!(await lstat(path)).isFile()) throw new StateFileError('is no file')
    return await replayLines(reader, path, isLast)
  } catch (error) {
    if (error instanceof StateFileError)
      throw new StateFileError(`${path}${reader.place} ${error.message}`, { cause: error })
    throw new StateFileError(`${path} cannot be read (${reasonOf(error)})`, { cause: error })
  }
}

async function replayLines(reader: LogReader, path: string, isLast: boolean): Promise<LogContent> {
  let content = { bytes: 0, lacksLineBreak: false }
  reader.beginFile()
  for await (const lines of readLines(path)) {
    for (const { bytes, from, isComplete } of lines) {
      const isRead = isComplete ? reader.readLine(bytes) : reader.readTail(bytes, isLast)
      if (isRead) content = { bytes: from + bytes.length + 1, lacksLineBreak: !isComplete }
    }
  }
  reader.endFile()
  return content
}

interface FoundFile {
  readonly path: string
  readonly generation: number
}

async function findLogFiles(base: string): Promise<FoundFile[]> {
  const prefix = `${basename(base)}.journal.`
  const names = (await readdir(dirname(base))).filter((name) => name.startsWith(prefix))
  const generations = names.map((name) => Number(name.slice(prefix.length))).filter(Number.isInteger)
  return generations
    .sort((a, b) => a - b)
    .map((generation) => ({ path: join(dirname(base), prefix + generation), generation }))
}

/**
 * Replaces a log file by a copy of its complete entries, so that a process that lost its lock has no name for its own file any
 * more, and so that bytes of an entry that was cut off are gone.
 */
export async function replaceLogFile({ path, bytes, lacksLineBreak }: ReplayedFile): Promise<void> {
  const temporary = `${path}.tmp`
  await rm(temporary, { force: true })
  await copyFile(path, temporary, constants.COPYFILE_EXCL)
  await chmod(temporary, PRIVATE_FILE)
  const file = await open(temporary, 'r+')
  try {
    await file.truncate(bytes)
    if (lacksLineBreak) await file.write('\n', bytes - 1)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}
