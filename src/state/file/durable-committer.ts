import { setImmediate } from 'node:timers'
import type { Low } from 'lowdb'
import { reasonOf } from '../../core/result.ts'
import type { Committer } from '../base-store.ts'
import type { Command, Decision } from '../commands.ts'
import type { Undo } from '../memory/sandbox-data.ts'
import type { StateData } from '../memory/state-data.ts'
import { StoreWriteError } from '../store.ts'
import type { Checkpoint } from './format.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** A command that waits for the next flush. */
interface PendingCommand {
  readonly decide: () => { readonly change?: Decision<unknown>['change']; readonly accept: () => void }
  readonly reject: (error: unknown) => void
}

/** A command that is decided and applied, but not stored yet. */
interface DecidedCommand {
  readonly accept: () => void
  readonly undo: Undo | undefined
}

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
  /** Releases the lock. */
  readonly release: () => Promise<void>
}

/**
 * A committer that appends changes to the write-ahead log. All commands of one turn of the event loop are decided, applied
 * and appended with one write in the next turn, so that readers never see a state that differs from the log.
 */
export class DurableCommitter implements Committer {
  readonly #deps: DurableCommitterDeps
  readonly state: StateData
  #pending: PendingCommand[] = []
  #seq: number
  /** The size of the log, in bytes, at which the next checkpoint is written. */
  #checkpointAt: number
  #checkpointing: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(deps: DurableCommitterDeps, checkpointBytes: number) {
    this.#deps = deps
    this.state = deps.state
    this.#seq = deps.seq
    this.#checkpointAt = Math.max(deps.checkpointFrom, checkpointBytes)
  }

  commit<T>(command: Command<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The state is closed.'))
    return new Promise((resolve, reject) => {
      const decide = () => {
        const { change, result } = command(this.state)
        return { ...(change && { change }), accept: () => resolve(result) }
      }
      this.#pending.push({ decide, reject })
      if (this.#pending.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const commands = this.#pending
    this.#pending = []
    const error = this.#commitTogether(commands)
    if (error === undefined) this.#checkpointIfDue()
    else if (commands.length === 1) commands[0]?.reject(error)
    else this.#commitOneByOne(commands)
  }

  /** Commits each command by itself, so that a command that needs too much disk space does not make others fail. */
  #commitOneByOne(commands: readonly PendingCommand[]): void {
    for (const command of commands) {
      const error = this.#commitTogether([command])
      if (error !== undefined) command.reject(error)
    }
  }

  /** Commits commands with one write. If the write fails, undoes all of them and returns the error. */
  #commitTogether(commands: readonly PendingCommand[]): Error | undefined {
    const before = this.#seq
    const lines: string[] = []
    const decided = commands.flatMap((command) => this.#decide(command, lines))
    try {
      if (lines.length > 0) this.#deps.log.append(lines.join(''))
    } catch (error) {
      for (const { undo } of decided.reverse()) undo?.()
      this.#seq = before
      return new StoreWriteError(
        `The state could not be written (${reasonOf(error)}), so nothing was changed.`,
        {
          cause: error,
        },
      )
    }
    for (const { accept } of decided) accept()
    return undefined
  }

  /** Decides and applies a command, and adds its log entry to `lines`. Empty: the command was rejected. */
  #decide(command: PendingCommand, lines: string[]): DecidedCommand[] {
    try {
      const { change, accept } = command.decide()
      if (change === undefined) return [{ accept, undo: undefined }]
      const line = `{"seq":${this.#seq + 1},${JSON.stringify(change).slice(1)}\n`
      const undo = this.state.apply(change)
      lines.push(line)
      this.#seq += 1
      return [{ accept, undo }]
    } catch (error) {
      command.reject(error)
      return []
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
      db.data = { seq: this.#seq, sandboxes: this.state.snapshots() }
      await db.write()
      await log.dropOld()
      this.#checkpointAt = Math.max(checkpointFrom, await checkpointBytes())
    } catch (error) {
      this.#checkpointAt = log.bytes * 2
      report(`The state's journal could not be folded (${reasonOf(error)}); it keeps growing until it can.`)
    } finally {
      db.data = { seq: 0, sandboxes: [] } // frees records that the state no longer holds
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    const { log, release, stopPausing } = this.#deps
    this.#flush()
    stopPausing()
    await this.#checkpointing
    if (!log.isEmpty) await this.#checkpoint()
    await log.close()
    await release()
  }
}
