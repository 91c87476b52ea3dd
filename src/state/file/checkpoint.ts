import { existsSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { sleep } from '../../core/timers.ts'
import { StateChecks } from '../state-checks.ts'
import { checkTrailer, formatTrailer } from './checksum.ts'
import { syncFolder } from './folder.ts'
import { type Checkpoint, OLDEST_FORMAT, parseCheckpoint, serializeCheckpoint } from './format.ts'
import { withoutMark } from './log-mark.ts'
import { PRIVATE_FILE } from './private-file.ts'
import { isCurrentFormat, readStateDocument } from './state-document.ts'
import { parseJson, StateFileError } from './state-file-error.ts'

/** Characters per write, which take some tenths of a millisecond of the event loop. */
const SLICE_LENGTH = 64 * 1024

/** Pieces per write: a piece for a record that was written before is empty, and takes a third of a microsecond. */
const SLICE_PIECES = 2000

/** Milliseconds between two writes, so that requests have most of the time, however large the state is. */
const PAUSE_MS = 3

/** lowdb's adapter for the state file. The file is replaced atomically: written to a temporary file, then renamed. */
export class CheckpointFile implements Adapter<Checkpoint> {
  readonly #path: string
  readonly #findLoss: () => string | undefined
  #hasPauses = true

  /** `findLoss` says why the file may not be replaced any more, since another process has its lock. */
  constructor(path: string, findLoss: () => string | undefined) {
    this.#path = path
    this.#findLoss = findLoss
  }

  /** Reads the state file. Null: the file does not exist. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<Checkpoint | null> {
    if (!existsSync(this.#path)) return null
    const checks = await StateChecks.load()
    const isCurrent = await reading(isCurrentFormat(this.#path))
    const document = await reading(isCurrent ? readStateDocument(this.#path) : readWholeFile(this.#path))
    const checkpoint = parseCheckpoint(document, checks) // its errors have a place
    const seal = await reading(checkTrailer(this.#path, withoutMark))
    const isOld = checkpoint.format === OLDEST_FORMAT && seal === 'absent'
    if (isOld || (isCurrent && seal === 'fits')) return checkpoint
    const fault =
      seal === 'differs' ? 'does not fit the checksum at its end' : 'does not end with its checksum'
    throw new StateFileError(`${fault}, so it was damaged or changed`)
  }

  /** Makes writes go on without pauses, once no request comes any more. */
  stopPausing(): void {
    this.#hasPauses = false
  }

  /** Replaces the state file. The old file stays until the new file is on the disk. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const temporary = `${this.#path}.tmp`
    await rm(temporary, { force: true }) // of a process that died, or a link that another program made
    try {
      await writeSlices(temporary, checkpoint, () => (this.#hasPauses ? sleep(PAUSE_MS) : undefined))
      const loss = this.#findLoss()
      if (loss !== undefined) throw new Error(loss)
      await rename(temporary, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}

/** Reads a file of another format as a whole. */
async function readWholeFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8')
  if (text === '') throw new StateFileError('is empty')
  return parseJson(text)
}

async function reading<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof StateFileError) throw error
    throw new StateFileError(`cannot be read (${reasonOf(error)})`, { cause: error })
  }
}

async function writeSlices(
  path: string,
  checkpoint: Checkpoint,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE)
  let checksum = 0
  const writeSlice = async (slice: string) => {
    const bytes = Buffer.from(slice)
    checksum = crc32(bytes, checksum)
    await file.writeFile(bytes)
  }
  try {
    let slice = ''
    let pieces = 0
    for (const piece of serializeCheckpoint(checkpoint)) {
      slice += piece
      pieces += 1
      if (slice.length < SLICE_LENGTH && pieces < SLICE_PIECES) continue
      await writeSlice(slice)
      slice = ''
      pieces = 0
      await pause()
    }
    await writeSlice(slice)
    await file.writeFile(formatTrailer(checksum))
    await file.sync()
  } finally {
    await file.close()
  }
}
