import type { Low } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import type { Command } from '../commands.ts'
import type { Committer } from '../committer.ts'
import { describeLoss } from '../loss.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { StoreWriteError } from '../store.ts'
import { type Checkpoint, emptyCheckpoint, FORMAT } from './format.ts'
import type { Lock } from './lock.ts'
import { LogLostError } from './log-ownership.ts'
import { checkRecordLength } from './record-length.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The parts that a durable committer works with. */
export interface DurableCommitterDeps {
  readonly state: StateData
  /** The id of the state file's history. */
  readonly history: string
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
  readonly lock: Lock
  /** The largest length of a record in characters. */
  readonly maxRecordLength: number
  /** True: a change is acknowledged once it is on the disk. */
  readonly sync: boolean
}

/**
 * A committer that appends changes to the write-ahead log. A command is decided, appended and applied in one synchronous
 * step, so that a reader never sees a state that differs from the log.
 */
export class DurableCommitter implements Committer {
  readonly #deps: DurableCommitterDeps
  readonly state: StateData
  /** The size of the log, in bytes, at which the next checkpoint is written. */
  #checkpointAt: number
  #checkpointing: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** The state in memory lacks a change of the log, for this reason. Undefined: state and log agree. */
  #divergence: string | undefined
  /** The files are not this process's any more, for this reason. Undefined: they are. */
  #loss: string | undefined

  constructor(deps: DurableCommitterDeps, checkpointBytes: number) {
    this.#deps = deps
    this.state = deps.state
    this.#checkpointAt = Math.max(deps.checkpointFrom, checkpointBytes)
  }

  async commit<T>(_sandbox: string, command: Command<T>): Promise<T> {
    if (this.#closing !== undefined) throw new Error('The state is closed.')
    if (this.#divergence !== undefined) throw new Error(this.#divergence)
    const { change, result } = command(this.state)
    if (change === undefined) return result
    this.#append(change)
    const { seq } = this.#deps.log
    this.#apply(change)
    this.#checkpointIfDue()
    if (this.#deps.sync) await this.#sync()
    this.#deps.lock.noteAcknowledged(seq)
    return result
  }

  #append(change: Change): void {
    if (this.#loss !== undefined) throw new StoreWriteError(describeLoss(this.#loss))
    try {
      const members = JSON.stringify(change).slice(1)
      checkRecordLength(this.state, change, members, this.#deps.maxRecordLength)
      this.#deps.log.append(members)
    } catch (error) {
      const loss = error instanceof LogLostError ? this.lose(error.message) : this.#noticeLoss()
      const reason = `The state could not be written (${reasonOf(error)}), so nothing was changed.`
      const message = loss === undefined ? reason : describeLoss(loss)
      throw new StoreWriteError(message, { cause: error })
    }
  }

  /** Waits until all appended changes are on the disk. After a failure no one knows what is on the disk, so all writes are refused. */
  async #sync(): Promise<void> {
    try {
      await this.#deps.log.sync()
    } catch (error) {
      const reason = `the disk failed to sync its log (${reasonOf(error)})`
      this.lose(reason)
      throw new StoreWriteError(describeLoss(reason), { cause: error })
    }
  }

  /** Makes all further writes be refused, since the files are not this process's any more. Returns the first reason for that. */
  lose(reason: string): string {
    if (this.#loss !== undefined) return this.#loss
    this.#loss = reason
    this.#deps.report(describeLoss(reason))
    return reason
  }

  /** Looks whether the files are still this process's. Returns the reason for which they are not. */
  #noticeLoss(): string | undefined {
    const reason = this.#loss ?? this.#deps.log.findLoss()
    return reason === undefined ? undefined : this.lose(reason)
  }

  async findLoss(): Promise<string | undefined> {
    if (this.#divergence !== undefined) return 'its records in memory do not agree with its log'
    return this.#closing === undefined ? this.#noticeLoss() : this.#loss // a stop releases the lock
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
    if (
      this.#checkpointing !== undefined ||
      this.#loss !== undefined ||
      this.#deps.log.bytes < this.#checkpointAt
    )
      return
    this.#checkpointing = this.#checkpoint().finally(() => {
      this.#checkpointing = undefined
    })
  }

  /** Writes a checkpoint of the current state while later entries go to a new log file. A failure loses no entry. */
  async #checkpoint(): Promise<void> {
    const { db, log, history, checkpointFrom, checkpointBytes, report } = this.#deps
    try {
      log.rotate()
      db.data = { history, format: FORMAT, seq: log.seq, sandboxes: this.state.copySandboxes() }
      await log.sync() // the old log is whole on the disk as long as a power failure can bring back the old checkpoint
      await db.write()
      await log.dropOld()
      this.#checkpointAt = Math.max(checkpointFrom, await checkpointBytes())
    } catch (error) {
      this.#checkpointAt = log.bytes * 2
      const problem = `The checkpoint of the state could not be written (${reasonOf(error)}). No change is lost; the log grows until a checkpoint succeeds.`
      if (this.#noticeLoss() === undefined) report(problem)
    } finally {
      db.data = emptyCheckpoint() // frees records that the state no longer holds
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    const { log, lock, stopPausing } = this.#deps
    stopPausing()
    await this.#checkpointing
    const isOwn = this.#noticeLoss() === undefined && this.#divergence === undefined
    if (!log.isEmpty && isOwn) await this.#checkpoint()
    await log.close()
    await lock.release()
  }
}
