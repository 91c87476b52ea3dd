import type { Low } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import type { Committer } from '../base-store.ts'
import type { Command } from '../commands.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { StoreWriteError } from '../store.ts'
import { type Checkpoint, EMPTY_CHECKPOINT } from './format.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The parts that a durable committer works with. */
export interface DurableCommitterDeps {
  readonly state: StateData
  /** The number of the last log entry that the state contains. */
  readonly seq: number
  readonly log: WriteAheadLog
  readonly db: Low<Checkpoint>
  /** Makes checkpoints be written without pauses. */
  readonly stopPausing: () => void
  /** The least size of the log, in bytes, at which a checkpoint is written. */
  readonly checkpointFrom: number
  /** Returns the size of the checkpoint on the disk, in bytes. */
  readonly checkpointBytes: () => Promise<number>
  /** Receives a sentence about each failure of a checkpoint. */
  readonly report: (problem: string) => void
  /** Ends the process, or throws, since the state in memory no longer agrees with its log. */
  readonly fatal: (problem: string) => never
  /** Releases the lock. */
  readonly release: () => Promise<void>
}

/**
 * A committer that appends changes to the write-ahead log. A command is decided, appended and applied in one synchronous
 * step, so that a reader never sees a state that differs from the log.
 */
export class DurableCommitter implements Committer {
  readonly #deps: DurableCommitterDeps
  readonly state: StateData
  #seq: number
  /** The size of the log, in bytes, at which the next checkpoint is written. */
  #checkpointAt: number
  #checkpointing: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** The state in memory lacks a change of the log, for this reason. Undefined: state and log agree. */
  #divergence: string | undefined

  constructor(deps: DurableCommitterDeps, checkpointBytes: number) {
    this.#deps = deps
    this.state = deps.state
    this.#seq = deps.seq
    this.#checkpointAt = Math.max(deps.checkpointFrom, checkpointBytes)
  }

  async commit<T>(command: Command<T>): Promise<T> {
    if (this.#closing !== undefined) throw new Error('The state is closed.')
    if (this.#divergence !== undefined) throw new Error(this.#divergence)
    const { change, result } = command(this.state)
    if (change === undefined) return result
    this.#append(change)
    this.#apply(change)
    this.#checkpointIfDue()
    return result
  }

  #append(change: Change): void {
    const line = `{"seq":${this.#seq + 1},${JSON.stringify(change).slice(1)}\n`
    try {
      this.#deps.log.append(line)
    } catch (error) {
      const message = `The state could not be written (${reasonOf(error)}), so nothing was changed.`
      throw new StoreWriteError(message, { cause: error })
    }
    this.#seq += 1
  }

  /** Applies an appended change. A failure is fatal: the log has the change, the state in memory may have half of it. */
  #apply(change: Change): void {
    try {
      this.state.apply(change)
    } catch (error) {
      this.#divergence = `The state in memory no longer agrees with its log (${reasonOf(error)}). The log is complete: start again.`
      this.#deps.fatal(this.#divergence)
    }
  }

  /** Begins a checkpoint once the log is as large as the last checkpoint: its cost is then a constant part of each write. */
  #checkpointIfDue(): void {
    if (this.#checkpointing !== undefined || this.#deps.log.bytes < this.#checkpointAt) return
    this.#checkpointing = this.#checkpoint().finally(() => {
      this.#checkpointing = undefined
    })
  }

  /** Writes a checkpoint of the current state while later entries go to a new log file. A failure loses no entry. */
  async #checkpoint(): Promise<void> {
    const { db, log, checkpointFrom, checkpointBytes, report } = this.#deps
    try {
      log.rotate()
      db.data = { seq: this.#seq, sandboxes: this.state.copySandboxes() }
      await db.write()
      await log.dropOld()
      this.#checkpointAt = Math.max(checkpointFrom, await checkpointBytes())
    } catch (error) {
      this.#checkpointAt = log.bytes * 2
      report(
        `The checkpoint of the state could not be written (${reasonOf(error)}). No change is lost; the log grows until a checkpoint succeeds.`,
      )
    } finally {
      db.data = EMPTY_CHECKPOINT // frees records that the state no longer holds
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    const { log, release, stopPausing } = this.#deps
    stopPausing()
    await this.#checkpointing
    if (!log.isEmpty && this.#divergence === undefined) await this.#checkpoint()
    await log.close()
    await release()
  }
}
