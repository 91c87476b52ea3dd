import type { Low } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import type { StateData } from '../memory/state-data.ts'
import type { StateFile } from './state-file.ts'

/** Writes the state to its file once the log is as large as the last checkpoint: its cost is then a constant part of each write. */
export class Checkpoints {
  readonly #db: Low<StateData>
  readonly #file: StateFile
  readonly #least: number
  readonly #report: (problem: string) => void
  /** The size of the log, in bytes, at which the next checkpoint is written. */
  #nextAt: number
  #running: Promise<void> | undefined

  /** `least`: the least size of the log at which a checkpoint is written; `size`: that of the state file; both in bytes. */
  constructor(
    db: Low<StateData>,
    file: StateFile,
    least: number,
    size: number,
    report: (problem: string) => void,
  ) {
    this.#db = db
    this.#file = file
    this.#least = least
    this.#nextAt = Math.max(least, size)
    this.#report = report
  }

  /** Resolves once no checkpoint is being written. */
  async idle(): Promise<void> {
    await this.#running
  }

  beginIfDue(): void {
    if (this.#running !== undefined || this.#file.log.bytes < this.#nextAt) return
    this.#running = this.write().finally(() => {
      this.#running = undefined
    })
  }

  /** Writes the state to its file. A failure loses nothing. */
  async write(): Promise<void> {
    try {
      await this.#db.write()
      this.#nextAt = Math.max(this.#least, await this.#file.size())
    } catch (error) {
      this.#nextAt = this.#file.log.bytes * 2
      this.#report(
        `The checkpoint of the state could not be written (${reasonOf(error)}). No change is lost; the log grows until a checkpoint succeeds.`,
      )
    }
  }
}
