import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import { type Checkpoint, parseCheckpoint, serializeCheckpoint } from './format.ts'
import { jsonFault } from './json-fault.ts'
import { StateFileError, systemErrorCode } from './state-file-error.ts'

/** Characters per write: some tenths of a millisecond of work between two looks at the network. */
const SLICE = 64 * 1024

/** Milliseconds from one slice to the next, so that requests have most of the time, however much there is to write. */
const PAUSE = 3

/** lowdb's way to our state file: read whole at the start, written beside and put in place in one step. */
export class CheckpointFile implements Adapter<Checkpoint> {
  readonly #path: string
  #isHurried = false

  constructor(path: string) {
    this.#path = path
  }

  /** Null: there is no file yet. Throws a StateFault with the place of what is wrong with it. */
  async read(): Promise<Checkpoint | null> {
    const text = await this.#text()
    if (text === null) return null
    try {
      return parseCheckpoint(JSON.parse(text))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const { line, column } = jsonFault(text)
      throw new StateFileError(`is not JSON from line ${line}, column ${column} on`, { cause: error })
    }
  }

  async #text(): Promise<string | null> {
    try {
      return await readFile(this.#path, 'utf8')
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return null
      throw new StateFileError(`cannot be read (${reasonOf(error)})`, { cause: error })
    }
  }

  /** From here on nothing waits for requests: there are none any more. */
  stopPausing(): void {
    this.#isHurried = true
  }

  /** The old file stays whole until the new one is on the disk. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const beside = `${this.#path}.tmp`
    try {
      await writeSlices(beside, checkpoint, () => (this.#isHurried ? undefined : sleep(PAUSE)))
      await rename(beside, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      await rm(beside, { force: true })
      throw error
    }
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
      if (slice.length < SLICE) continue
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

/** The journal that the checkpoint replaces is deleted next, so the new name has to be on the disk first. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined) // a folder cannot be opened on every system
  try {
    await folder?.sync().catch(() => undefined)
  } finally {
    await folder?.close()
  }
}
