import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { type FileHandle, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { chunksInSlices } from '../../core/slices.ts'
import { eventCollection } from '../collections/events.ts'
import { StateData } from '../memory/state-data.ts'
import { formatTrailer } from './checksum.ts'
import { findEntry, replaceFile, StateFileError, syncFolder } from './disk.ts'
import type { Lock } from './lock.ts'
import { replayLog } from './log-reader.ts'
import { BEFORE_MARK, readStateText, stateText } from './state-text.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The log as it was at a read. */
interface FoundLog {
  /** The number of entries that the state file did not have. */
  readonly entries: number
  /** A sentence about the entry that a crash cut off, or undefined for a complete log. */
  readonly cutOff: string | undefined
  /** Is true if the state file says that a log was begun, and there is none. */
  readonly isMissing: boolean
}

/**
 * The adapter of lowdb for the state file and the log beside it. It reads the state from both. It writes the state to a
 * temporary file, which then replaces the state file, and begins the log anew.
 */
export class StateFile implements Adapter<StateData> {
  readonly path: string
  readonly log: WriteAheadLog
  readonly #lock: Lock
  /** The log as the last read has found it. */
  found: FoundLog = { entries: 0, cutOff: undefined, isMissing: false }
  /** The lines of these entries, until a log is begun with them. */
  #lines: Buffer[] = []

  constructor(path: string, log: WriteAheadLog, lock: Lock) {
    this.path = path
    this.log = log
    this.#lock = lock
  }

  /** Reads the state file and its log. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<StateData> {
    const stored = findEntry(this.path) && (await this.#readFile())
    const state = stored?.state ?? new StateData(randomUUID())
    const logPath = logPathOf(this.path)
    const isMissing = stored?.hasLog === true && findEntry(logPath) === undefined
    const { lines, cutOff } = await replayLog(logPath, state, stored === undefined)
    this.found = { entries: lines.length, cutOff, isMissing }
    if (!this.log.isBegun) this.#lines = lines
    for (const { data } of state.sandboxes.values()) data.table(eventCollection).buildIndex()
    return state
  }

  async #readFile(): ReturnType<typeof readStateText> {
    try {
      return await readStateText(this.path)
    } catch (error) {
      if (error instanceof StateFileError) throw error
      throw new StateFileError(`cannot be read (${reasonOf(error)})`, { cause: error })
    }
  }

  /** Begins the log that follows the files that were read, with the entries that are not in the state file. */
  async beginLog({ history, seq }: StateData): Promise<void> {
    await this.log.begin(history, seq - this.found.entries, this.#lines)
    writeMark(this.path, 'open')
  }

  /**
   * Replaces the state file, which stays until the new file is on the disk, and drops the changes that the new file
   * contains from the log. All changes of the state must be in the log. Later changes are not written.
   */
  async write(state: StateData): Promise<void> {
    const { path, log } = this
    const { isBegun } = log
    const { history, seq } = state
    const text = stateText(state)
    const recent: Buffer[] = []
    log.recent = recent
    try {
      if (isBegun) await log.sync() // a power failure can bring back the old file, which needs the whole log
      const fill = (file: FileHandle) => writeFile(file, withTrailer(text))
      const file = await replaceFile(path, 'wx', fill, (temporary) => {
        if (isBegun) writeMark(temporary, 'open') // a log stands beside the file, whatever becomes of the next
        const loss = this.#lock.findLoss()
        if (loss !== undefined) throw new Error(loss)
        renameSync(temporary, path)
      })
      await file.close()
      await syncFolder(dirname(path))
      if (isBegun) await log.begin(history, seq, recent)
    } finally {
      log.recent = undefined
    }
  }

  /** Returns the size of the state file in bytes. */
  async size(): Promise<number> {
    return (await stat(this.path)).size
  }

  /** Closes the log. It stays if it has entries. */
  async close(): Promise<void> {
    const { log } = this
    if (log.isEmpty && log.findLoss() === undefined) {
      writeMark(this.path, 'none') // before the log is deleted, so that a crash leaves no mark of a missing log
      await rm(logPathOf(this.path), { force: true })
    }
    await log.close()
  }
}

/** Returns the path of the log of a state file. */
export const logPathOf = (path: string) => `${path}.journal`

async function* withTrailer(text: Iterable<string>): AsyncGenerator<string> {
  let checksum = 0
  for await (const chunk of chunksInSlices(text)) {
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  yield formatTrailer(checksum)
}

/**
 * Overwrites the mark in place. It stands within the first sector (512 bytes), which a disk writes as a whole or not at
 * all, and no flip of a bit makes one mark of the other. A failure is ignored: only a later deletion of the log would
 * go unnoticed.
 */
function writeMark(path: string, mark: 'none' | 'open'): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      const head = Buffer.alloc(BEFORE_MARK.length)
      readSync(fd, head, 0, head.length, 0)
      if (head.toString('latin1') === BEFORE_MARK) writeSync(fd, mark, head.length)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Ignored, see above.
  }
}
