import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { chunksInSlices } from '../../core/slices.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { SandboxData, type SandboxEntry, StateData } from '../memory/state-data.ts'
import { checkTrailer, formatTrailer } from './checksum.ts'
import { findEntry, parseStateJson, StateFileError, syncFolder } from './disk.ts'
import { type LogReplay, replayLog } from './log-reader.ts'
import { findFormatFault, readStateText, STATE_KIND, type StateDocument, stateText } from './state-text.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The log as it was at a read. */
interface FoundLog extends LogReplay {
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
  readonly #findLoss: () => string | undefined
  /** The log as the last read has found it. */
  found: FoundLog = { entries: 0, from: 0, to: 0, isMissing: false }

  /** `findLoss` says why the file may not be replaced any more, since another process has its lock. */
  constructor(path: string, log: WriteAheadLog, findLoss: () => string | undefined) {
    this.path = path
    this.log = log
    this.#findLoss = findLoss
  }

  /** Reads the state file and its log. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<StateData> {
    const stored = findEntry(this.path) && (await this.#readFile())
    const { state, mark } = stored ?? { state: new StateData(randomUUID()), mark: 'none' }
    const logPath = logPathOf(this.path)
    const isMissing = mark === 'open' && findEntry(logPath) === undefined
    const replay = await replayLog(logPath, { state, isNew: stored === undefined })
    this.found = { ...replay, isMissing }
    return state
  }

  /** Reads the state file alone. What fits its checksum is as it was written, so its content needs no check. */
  async #readFile(): Promise<{ state: StateData; mark: StateDocument['log'] }> {
    try {
      const seal = await checkTrailer(this.path, withoutMark)
      if (seal !== 'fits') throw new StateFileError(await this.#describeDamage(seal))
      const document = await readStateText(this.path)
      return { state: createState(document), mark: document.log }
    } catch (error) {
      if (error instanceof StateFileError) throw error
      throw new StateFileError(`cannot be read (${reasonOf(error)})`, { cause: error })
    }
  }

  /** Says what is wrong with a file that does not fit its checksum. Throws, with the place, for one that is no JSON. */
  async #describeDamage(seal: 'differs' | 'absent'): Promise<string> {
    const text = await readFile(this.path, 'utf8')
    if (text === '') return 'is empty'
    const end = seal === 'differs' ? 'does not fit the checksum at its end' : 'does not end with its checksum'
    return findFormatFault(parseStateJson(text), STATE_KIND) ?? `${end}, so it was damaged or changed`
  }

  /** Begins the log that follows the files that were read, with the entries that are not in the state file. */
  async beginLog({ history, seq }: StateData): Promise<void> {
    const { entries, from, to } = this.found
    await this.log.begin(history, seq - entries, from, to)
    writeMark(this.path, 'open')
  }

  /**
   * Replaces the state file, which stays until the new file is on the disk, and drops the changes that the new file
   * contains from the log. All changes of the state must be in the log. Later changes are not written.
   */
  async write(state: StateData): Promise<void> {
    const { log } = this
    const { isBegun, bytes: logEnd } = log
    const { history, seq } = state
    const text = stateText(state)
    const temporary = `${this.path}.tmp`
    try {
      if (isBegun) await log.sync() // a power failure can bring back the old file, which needs the whole log
      await rm(temporary, { force: true }) // of a process that died, or a link that another program made
      await writeText(temporary, text)
      if (isBegun) writeMark(temporary, 'open') // a log stands beside the file, whatever becomes of the next
      const loss = this.#findLoss()
      if (loss !== undefined) throw new Error(loss)
      await rename(temporary, this.path)
      await syncFolder(dirname(this.path))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined) // the next write tries again
      throw error
    }
    if (isBegun) await log.begin(history, seq, logEnd)
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

async function writeText(path: string, text: Iterable<string>): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE)
  let checksum = 0
  try {
    for await (const chunk of chunksInSlices(text)) {
      const bytes = Buffer.from(chunk)
      checksum = crc32(bytes, checksum)
      await file.writeFile(bytes)
    }
    await file.writeFile(formatTrailer(checksum))
    await file.sync()
  } finally {
    await file.close()
  }
}

function createState({ history, seq, sandboxes }: StateDocument): StateData {
  const entries = sandboxes.map((sandbox) => [sandbox.name, createSandboxEntry(sandbox)] as [string, SandboxEntry])
  return new StateData(history, seq, entries)
}

function createSandboxEntry({
  snapshots,
  snapshotsTaken,
  ...content
}: StateDocument['sandboxes'][number]): SandboxEntry {
  const copies = snapshots.map(({ snapshotId, name, createdAt, ...copy }) => {
    const head = { snapshotId, ...(name !== undefined && { name }), createdAt }
    return [snapshotId, { head, data: SandboxData.of(copy) }] as const
  })
  return { data: SandboxData.of(content), snapshotsTaken, snapshots: new Map(copies) }
}

/**
 * The text before the mark, which says if a log was begun beside the file, so that a start notices a deleted log. The
 * mark is overwritten in place. It stands within the first sector (512 bytes), which a disk writes as a whole or not at
 * all, and no flip of a bit makes one mark of the other. The checksum of the file is computed with the mark `none`.
 */
const BEFORE_MARK = '\n  "log": "'

/** The number of bytes at the beginning of a state file that contain its mark. */
const HEAD_BYTES = 256

/** Returns the beginning of a state file with the mark that its checksum is computed with. */
function withoutMark(head: Buffer): Buffer {
  const text = head.toString('latin1', 0, HEAD_BYTES).replace(`${BEFORE_MARK}open"`, `${BEFORE_MARK}none"`)
  return Buffer.concat([Buffer.from(text, 'latin1'), head.subarray(HEAD_BYTES)])
}

/** Overwrites the mark of a state file. A failure is ignored: only a later deletion of the log would go unnoticed. */
function writeMark(path: string, mark: 'none' | 'open'): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      readSync(fd, head, 0, HEAD_BYTES, 0)
      const at = head.indexOf(BEFORE_MARK)
      if (at !== -1) writeSync(fd, mark, at + BEFORE_MARK.length)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Ignored, see above.
  }
}
