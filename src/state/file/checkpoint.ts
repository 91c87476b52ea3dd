import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { StateChecks } from '../state-checks.ts'
import { checkTrailer, formatTrailer } from './checksum.ts'
import { syncFolder } from './folder.ts'
import { type Checkpoint, OLDEST_FORMAT, parseCheckpoint, serializeCheckpoint } from './format.ts'
import { PRIVATE_FILE } from './private-file.ts'
import { StateFileError, systemErrorCode } from './state-file-error.ts'

/** Characters per write, which take some tenths of a millisecond of the event loop. */
const SLICE_LENGTH = 64 * 1024

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
    const content = await this.#readContent()
    if (content === null) return null
    const checks = await StateChecks.load()
    const seal = checkTrailer(content)
    const checkpoint = parseCheckpoint(parseJson(content), checks) // its errors have a place
    const isOld = checkpoint.format === OLDEST_FORMAT && seal === 'absent'
    if (seal === 'fits' || isOld) return checkpoint
    const fault =
      seal === 'absent' ? 'does not end with its checksum' : 'does not fit the checksum at its end'
    throw new StateFileError(`${fault}, so it was damaged or changed`)
  }

  async #readContent(): Promise<Buffer | null> {
    try {
      return await readFile(this.#path)
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return null
      throw new StateFileError(`cannot be read (${reasonOf(error)})`, { cause: error })
    }
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

/** Parses JSON. The error has the words of the parser, which name the position or show the text around it. */
function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch (error) {
    throw new StateFileError(`is not JSON (${reasonOf(error)})`, { cause: error })
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
    for (const piece of serializeCheckpoint(checkpoint)) {
      slice += piece
      if (slice.length < SLICE_LENGTH) continue
      await writeSlice(slice)
      slice = ''
      await pause()
    }
    await writeSlice(slice)
    await file.writeFile(formatTrailer(checksum))
    await file.sync()
  } finally {
    await file.close()
  }
}
