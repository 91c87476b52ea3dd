import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { chunksInSlices } from '../../base/core/slices.ts'
import { StateData } from '../memory/state-data.ts'
import { formatTrailer } from './checksum.ts'
import { failAt, findEntry, replaceFile } from './disk.ts'
import { type LogTail, readLog } from './log-reader.ts'
import { readStateText, stateText } from './state-text.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The adapter of lowdb for the state file and the log beside it. It reads the state from both. */
export class StateFile implements Adapter<StateData> {
  readonly path: string
  readonly log: WriteAheadLog
  /** The number of the last change that the file has. -1: there is no file, or one that was changed by hand. */
  seq = -1
  /** What the last read has found beside the state file. */
  found: LogTail = { entries: 0, warnings: [] }

  constructor(path: string, log: WriteAheadLog) {
    this.path = path
    this.log = log
  }

  /** Reads the state file and its log. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<StateData> {
    const { path, log } = this
    const stored =
      findEntry(path) && (await readStateText(path).catch((error) => failAt(`The state file ${path}`, error)))
    if (stored && !stored.isEdited) this.seq = stored.state.seq
    const state = stored?.state ?? new StateData()
    const [old, present] = [await readLog(log.oldPath, state), await readLog(log.path, state)]
    const warnings = [...old.warnings, ...present.warnings]
    if (stored?.isEdited) warnings.push(`The state file ${path} was changed by hand. It is valid, so it was loaded.`)
    this.found = { entries: old.entries + present.entries, warnings }
    return state
  }

  /**
   * Replaces the state file, which stays until the new file is on the disk, and drops the changes that the new file
   * contains from the log. All changes of the state must be in the log. Later changes are not written.
   */
  async write(state: StateData): Promise<void> {
    const { seq } = state
    const text = stateText(state)
    this.log.rotate()
    await replaceFile(this.path, withTrailer(text), () => this.log.checkFiles())
    this.seq = seq
    await this.log.dropOld()
  }
}

/** The largest length of a text, which is that of a string in Node, with room for the end. */
const MAX_LENGTH = 2 ** 29 - 100

async function* withTrailer(text: Iterable<string>): AsyncGenerator<string> {
  let [checksum, length] = [0, 0]
  for await (const chunk of chunksInSlices(text)) {
    length += chunk.length
    if (length > MAX_LENGTH) throw new Error('it would be longer than a start can read')
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  yield formatTrailer(checksum)
}
