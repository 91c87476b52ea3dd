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

/** A step that waits for its turn. */
interface PendingCommand {
  readonly decide: () => { readonly change?: Decision<unknown>['change']; readonly accept: () => void }
  readonly reject: (error: unknown) => void
}

interface DecidedCommand {
  readonly step: PendingCommand
  readonly accept: () => void
  readonly undo: Undo | undefined
}

export interface DurableCommitterDeps {
  readonly state: StateData
  /** The last entry that the world holds. */
  readonly seq: number
  readonly log: WriteAheadLog
  readonly db: Low<Checkpoint>
  /** Lets a checkpoint be written as fast as can be. */
  readonly stopPausing: () => void
  /** The journal is folded into the checkpoint from this many bytes on, and where it is as large as the checkpoint. */
  readonly checkpointFrom: number
  /** Size of the checkpoint on the disk, in bytes. */
  readonly checkpointBytes: () => Promise<number>
  /** Told of what failed in the background, where nobody waits for an answer. */
  readonly report: (problem: string) => void
  /** Lets go of the lock. */
  readonly release: () => Promise<void>
}

/**
 * Keeps changes in the journal. All steps that arrive in one turn of the event loop are decided, appended with one write
 * and applied together in the next: at no moment does the world hold what the journal does not, or the other way round.
 */
export class DurableCommitter implements Committer {
  readonly #parts: DurableCommitterDeps
  readonly state: StateData
  #waiting: PendingCommand[] = []
  #seq: number
  #checkpointAt: number
  #checkpointing: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(parts: DurableCommitterDeps, checkpointBytes: number) {
    this.#parts = parts
    this.state = parts.state
    this.#seq = parts.seq
    this.#checkpointAt = Math.max(parts.checkpointFrom, checkpointBytes)
  }

  commit<T>(step: Command<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The state is closed.'))
    return new Promise((resolve, reject) => {
      const decide = () => {
        const { change, result } = step(this.state)
        return { ...(change && { change }), accept: () => resolve(result) }
      }
      this.#waiting.push({ decide, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const steps = this.#waiting
    this.#waiting = []
    const failure = this.#keep(steps)
    if (failure === undefined) this.#checkpointIfWorthwhile()
    else if (steps.length === 1) steps[0]?.reject(failure)
    else this.#keepOneByOne(steps)
  }

  /** So that a step that asks for more room than there is does not refuse the others. */
  #keepOneByOne(steps: readonly PendingCommand[]): void {
    for (const step of steps) {
      const failure = this.#keep([step])
      if (failure !== undefined) step.reject(failure)
    }
  }

  /** Decides, appends, applies and answers; or takes everything back and says why. */
  #keep(steps: readonly PendingCommand[]): Error | undefined {
    const before = this.#seq
    const lines: string[] = []
    const decided = steps.flatMap((step) => this.#decide(step, lines))
    try {
      if (lines.length > 0) this.#parts.log.append(lines.join(''))
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

  #decide(step: PendingCommand, lines: string[]): DecidedCommand[] {
    try {
      const { change, accept } = step.decide()
      if (change === undefined) return [{ step, accept, undo: undefined }]
      const line = `{"seq":${this.#seq + 1},${JSON.stringify(change).slice(1)}\n`
      const undo = this.state.apply(change)
      lines.push(line)
      this.#seq += 1
      return [{ step, accept, undo }]
    } catch (error) {
      step.reject(error)
      return []
    }
  }

  /** A journal as large as the checkpoint has cost as much to write, so folding costs a constant part of each write. */
  #checkpointIfWorthwhile(): void {
    if (this.#checkpointing !== undefined || this.#parts.log.bytes < this.#checkpointAt) return
    this.#checkpointing = this.#checkpoint().finally(() => {
      this.#checkpointing = undefined
    })
  }

  /** Writes a checkpoint of this moment while the next entries go to a new journal file. Failing, it loses nothing. */
  async #checkpoint(): Promise<void> {
    const { db, log, checkpointFrom, checkpointBytes, report } = this.#parts
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
      db.data = { seq: 0, sandboxes: [] } // the image would keep alive what the state has let go
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    const { log, release, stopPausing } = this.#parts
    this.#flush()
    stopPausing()
    await this.#checkpointing
    if (!log.isEmpty) await this.#checkpoint()
    await log.close()
    await release()
  }
}
