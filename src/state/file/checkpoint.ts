import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { StateChecks } from '../state-checks.ts'
import { type Checkpoint, parseCheckpoint, serializeCheckpoint } from './format.ts'
import { StateFileError, systemErrorCode } from './state-file-error.ts'

/** Characters per write, which take some tenths of a millisecond of the event loop. */
const SLICE_LENGTH = 64 * 1024

/** Milliseconds between two writes, so that requests have most of the time, however large the state is. */
const PAUSE_MS = 3

/** lowdb's adapter for the state file. The file is replaced atomically: written to a temporary file, then renamed. */
export class CheckpointFile implements Adapter<Checkpoint> {
  readonly #path: string
  #hasPauses = true

  constructor(path: string) {
    this.#path = path
  }

  /** Reads the state file. Null: the file does not exist. Throws a `StateFileError` with the place of a fault. */
  async read(): Promise<Checkpoint | null> {
    const text = await this.#readText()
    if (text === null) return null
    const checks = await StateChecks.load()
    return parseCheckpoint(parseJson(text), checks)
  }

  async #readText(): Promise<string | null> {
    try {
      return await readFile(this.#path, 'utf8')
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
    try {
      await writeSlices(temporary, checkpoint, () => (this.#hasPauses ? sleep(PAUSE_MS) : undefined))
      await rename(temporary, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}

/** Parses JSON. The error has the words of the parser, which name the position or show the text around it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`is not JSON (${reasonOf(error)})`, { cause: error })
  }
}

async function writeSlices(
  path: string,
  checkpoint: Checkpoint,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const file = await open(path, 'w')
  try {
    let slice = ''
    for (const piece of serializeCheckpoint(checkpoint)) {
      slice += piece
      if (slice.length < SLICE_LENGTH) continue
      await file.writeFile(slice)
      slice = ''
      await pause()
    }
    await file.writeFile(slice)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs the new name to the disk, since the log that the checkpoint replaces is deleted next. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined) // some systems cannot open a folder
  try {
    await folder?.sync().catch(() => undefined)
  } finally {
    await folder?.close()
  }
}
