import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import { SlicedWork } from '../../core/slices.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { StateData } from '../memory/state-data.ts'
import { StateChecks } from '../state-checks.ts'
import { syncFolder } from './disk.ts'
import { encodeHeader, historySeed, sealLine } from './lines.ts'
import { endMembers, type LogReplay, readStateFile, replayLog } from './read-files.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/**
 * The adapter of lowdb for the state file and the log beside it. It reads the state from both. It writes the state to a
 * temporary file, which then replaces the state file, and begins the log anew.
 */
export class StateFile implements Adapter<StateData> {
  readonly path: string
  readonly log: WriteAheadLog
  /** The entries of the log at the last read. */
  found: LogReplay = { entries: 0 }

  constructor(path: string, log: WriteAheadLog) {
    this.path = path
    this.log = log
  }

  /** Reads the state file and its log. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<StateData> {
    const checks = await StateChecks.load()
    const isNew = !existsSync(this.path)
    const state = isNew ? new StateData(randomUUID()) : await readStateFile(this.path, checks)
    const logPath = logPathOf(this.path)
    this.found = existsSync(logPath) ? await replayLog(logPath, state, { checks, isNew }) : { entries: 0 }
    return state
  }

  /**
   * Replaces the state file, which stays until the new file is on the disk, and drops the changes that the new file
   * contains from the log. All changes of the state must be in the log. Later changes are not written.
   */
  async write(state: StateData): Promise<void> {
    const { log } = this
    const logEnd = log.bytes
    const copy = state.copy()
    const temporary = `${this.path}.tmp`
    try {
      if (log.isBegun) await log.sync() // a power failure can bring back the old file, which needs the whole log
      await rm(temporary, { force: true }) // of a process that died, or a link that another program made
      await writeLines(temporary, stateLines(copy))
      log.checkLock()
      await rename(temporary, this.path)
      await syncFolder(dirname(this.path))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined) // the next write tries again
      throw error
    }
    await log.begin(copy, logEnd)
  }

  /** Returns the size of the state file in bytes. */
  async size(): Promise<number> {
    return (await stat(this.path)).size
  }

  /** Closes the log. It stays if it has entries. */
  async close(): Promise<void> {
    const { log } = this
    if (log.isEmpty && log.findLoss() === undefined) await rm(logPathOf(this.path), { force: true })
    await log.close()
  }
}

/** Returns the path of the log of a state file. */
export const logPathOf = (path: string) => `${path}.journal`

/** Yields the lines of a state file: its header, the changes that lead to the state, and its end. */
function* stateLines(state: StateData): Generator<Buffer> {
  const seed = historySeed(state.history)
  yield encodeHeader('convsim state', state)
  let seq = 1
  for (const change of state.changes()) yield sealLine(`"seq":${seq++},${change},`, seed)
  yield sealLine(endMembers(seq), seed)
}

/** The number of bytes that are written at once. */
const CHUNK_BYTES = 64 * 1024

/** Writes lines to a new file, in slices between which other requests are answered, and syncs the file. */
async function writeLines(path: string, lines: Iterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE)
  const work = new SlicedWork()
  const chunk: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    await file.writeFile(Buffer.concat(chunk.splice(0)))
    bytes = 0
  }
  try {
    await work.rest() // what was done for the request before may have taken long
    for (const line of lines) {
      chunk.push(line)
      bytes += line.length
      if (bytes >= CHUNK_BYTES) await flush()
      if (work.isDue) await work.rest()
    }
    await flush()
    await file.sync()
  } finally {
    await file.close()
  }
}
