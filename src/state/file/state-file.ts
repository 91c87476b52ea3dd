import { randomUUID } from 'node:crypto'
import { renameSync, statSync } from 'node:fs'
import { type FileHandle, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { chunksInSlices } from '../../core/slices.ts'
import { StateData } from '../memory/state-data.ts'
import { formatTrailer } from './checksum.ts'
import { failAt, findEntry, replaceFile, syncFolder } from './disk.ts'
import { type LogTail, readLog } from './log-reader.ts'
import { readStateText, stateText } from './state-text.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

const NO_LOG: LogTail = { entries: 0, from: 0, to: 0, warnings: [] }

/**
 * The adapter of lowdb for the state file and the log beside it. It reads the state from both. It writes the state to a
 * temporary file, which then replaces the state file, and begins the log anew.
 */
export class StateFile implements Adapter<StateData> {
  readonly path: string
  readonly log: WriteAheadLog
  /** The log as the last read has found it. */
  found = NO_LOG

  constructor(path: string, log: WriteAheadLog) {
    this.path = path
    this.log = log
  }

  /** Reads the state file and its log. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<StateData> {
    const { path, log } = this
    const stored =
      findEntry(path) && (await readStateText(path).catch((error) => failAt(`The state file ${path}`, error)))
    const state = stored ?? new StateData(randomUUID())
    this.found = findEntry(log.path) ? await readLog(log.path, state, stored === undefined) : NO_LOG
    return state
  }

  /** Begins the log that follows the files that were read, with the entries that are not in the state file. */
  async beginLog({ history, seq }: StateData): Promise<void> {
    const { entries, from, to } = this.found
    await this.log.begin(history, seq - entries, from, to)
  }

  /**
   * Replaces the state file, which stays until the new file is on the disk, and drops the changes that the new file
   * contains from the log. All changes of the state must be in the log. Later changes are not written.
   */
  async write(state: StateData): Promise<void> {
    const { path, log } = this
    const { bytes: logEnd } = log
    const isBegun = logEnd > 0
    const { history, seq } = state
    const text = stateText(state)
    if (isBegun) await log.sync() // a power failure can bring back the old file, which needs the whole log
    const fill = (file: FileHandle) => writeFile(file, withTrailer(text))
    const file = await replaceFile(path, 'wx', fill, (temporary) => {
      log.checkFiles()
      renameSync(temporary, path)
    })
    await file.close()
    await syncFolder(dirname(path))
    if (isBegun) await log.begin(history, seq, logEnd)
  }

  /** Returns the size of the state file in bytes. */
  get size(): number {
    return statSync(this.path).size
  }

  /** Closes the log. It stays if it has entries, and in a folder that has become read-only. */
  async close(): Promise<void> {
    const { log } = this
    if (log.isEmpty && log.findLoss() === undefined) await rm(log.path, { force: true }).catch(() => undefined)
    await log.close()
  }
}

async function* withTrailer(text: Iterable<string>): AsyncGenerator<string> {
  let checksum = 0
  for await (const chunk of chunksInSlices(text)) {
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  yield formatTrailer(checksum)
}
