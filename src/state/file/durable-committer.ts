import type { Low } from 'lowdb'
import { jsonPieces } from '../../base/core/json.ts'
import { reasonOf } from '../../base/core/result.ts'
import { chunksInSlices } from '../../base/core/slices.ts'
import { monotonicNow, sleep } from '../../base/core/timers.ts'
import type { Committer } from '../base-store.ts'
import type { Change, ImportChange, StateData } from '../memory/state-data.ts'
import { describeLoss, StoreWriteError } from '../store.ts'
import type { Lock } from './lock.ts'
import type { StateFile } from './state-file.ts'
import type { CompleteOptions } from './write-ahead-log.ts'

/** The minimum interval between the starts of two checkpoints, as a multiple of the duration of the first. */
const INTERVAL_FACTOR = 20

/** A committer that appends each change to the write-ahead log and writes the state to the state file soon after. */
export class DurableCommitter implements Committer {
  /** The database. Its `data` is the state in memory, and its adapter writes the state file. */
  readonly #db: Low<StateData>
  readonly #file: StateFile
  readonly #lock: Lock
  readonly #options: CompleteOptions
  /** The earliest start of the next checkpoint, as a `monotonicNow` time. */
  #nextStart = 0
  /** The task that waits and then writes checkpoints; undefined while no checkpoint is pending. */
  #checkpoints: Promise<void> | undefined
  readonly #stop = new AbortController()
  /** True if the last checkpoint failed. Only the first of several consecutive failures is reported. */
  #isFailing = false
  #closing: Promise<void> | undefined
  readonly #preparedImports = new WeakMap<Change, string>()

  constructor(db: Low<StateData>, file: StateFile, lock: Lock, options: CompleteOptions) {
    this.#db = db
    this.#file = file
    this.#lock = lock
    this.#options = options
  }

  async commit(change: Change): Promise<void> {
    const { data } = this.#db
    const { log } = this.#file
    try {
      const members = this.#preparedImports.get(change) ?? JSON.stringify(change).slice(1)
      log.append(data.seq + 1, members, () => data.apply(change))
      this.#checkpoints ??= this.#writeCheckpoints()
      if (this.#options.sync) await log.sync()
    } catch (error) {
      const loss = log.findLoss()
      const reason = `The state could not be written (${reasonOf(error)}), so nothing was changed.`
      throw new StoreWriteError(loss === undefined ? reason : describeLoss(loss), { cause: error })
    }
  }

  async #writeCheckpoints(): Promise<void> {
    do {
      const pauseMs = Math.max(this.#options.checkpointMs, this.#nextStart - monotonicNow())
      // The process may exit during this pause, since the log contains all changes.
      await sleep(pauseMs, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined)
      await this.#writeCheckpoint()
    } while (this.#isPending() && !this.#stop.signal.aborted)
    this.#checkpoints = undefined // in the same turn as the check above, so that no change relies on a finished task
  }

  #isPending(): boolean {
    return this.#file.seq < this.#db.data.seq && this.#file.log.findLoss() === undefined
  }

  /** Writes the state to its file. If the write fails, the log still contains all changes. */
  async #writeCheckpoint(): Promise<void> {
    const startedAt = monotonicNow()
    try {
      await this.#db.write()
      this.#isFailing = false
    } catch (error) {
      const problem =
        `A checkpoint of the state could not be written (${reasonOf(error)}). ` +
        'No change is lost; the log grows until a checkpoint succeeds.'
      if (this.#file.log.findLoss() === undefined && !this.#isFailing) this.#options.report(problem)
      this.#isFailing = true
    }
    this.#nextStart = startedAt + INTERVAL_FACTOR * (monotonicNow() - startedAt)
  }

  async prepareImport(change: ImportChange): Promise<void> {
    const { state, data: _, ...head } = change
    let members = `${JSON.stringify(head).slice(1, -1)},"state":`
    for await (const chunk of chunksInSlices(jsonPieces(state))) members += chunk
    this.#preparedImports.set(change, `${members}}`)
  }

  findLoss(): string | undefined {
    const { log } = this.#file
    return this.#closing === undefined ? log.findLoss() : log.lossReason // releasing the lock is not a loss
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    try {
      this.#stop.abort()
      await this.#checkpoints
      if (this.#isPending()) await this.#writeCheckpoint()
      await this.#file.log.close(this.#file.seq === this.#db.data.seq)
    } finally {
      this.#lock.release()
    }
  }
}
