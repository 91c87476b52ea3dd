import { setImmediate } from 'node:timers'
import type { Low } from 'lowdb'
import type { Keeper } from '../base-store.ts'
import type { Decision, Step } from '../commands.ts'
import type { Undo } from '../memory/sandbox-data.ts'
import type { World } from '../memory/state-data.ts'
import { NotKept } from '../store.ts'
import { reasonOf } from './fault.ts'
import type { Checkpoint } from './format.ts'
import type { Journal } from './write-ahead-log.ts'

/** A step that waits for its turn. */
interface Waiting {
  readonly decide: () => { readonly change?: Decision<unknown>['change']; readonly accept: () => void }
  readonly reject: (error: unknown) => void
}

interface Decided {
  readonly step: Waiting
  readonly accept: () => void
  readonly undo: Undo | undefined
}

export interface KeeperParts {
  readonly world: World
  /** The last entry that the world holds. */
  readonly seq: number
  readonly journal: Journal
  readonly db: Low<Checkpoint>
  /** Lets a checkpoint be written as fast as can be. */
  readonly hurry: () => void
  /** The journal is folded into the checkpoint from this many bytes on, and where it is as large as the checkpoint. */
  readonly foldFrom: number
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
export class FileKeeper implements Keeper {
  readonly #parts: KeeperParts
  readonly world: World
  #waiting: Waiting[] = []
  #seq: number
  #foldAt: number
  #folding: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(parts: KeeperParts, checkpointBytes: number) {
    this.#parts = parts
    this.world = parts.world
    this.#seq = parts.seq
    this.#foldAt = Math.max(parts.foldFrom, checkpointBytes)
  }

  commit<T>(step: Step<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The state is closed.'))
    return new Promise((resolve, reject) => {
      const decide = () => {
        const { change, answer } = step(this.world)
        return { ...(change && { change }), accept: () => resolve(answer) }
      }
      this.#waiting.push({ decide, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const steps = this.#waiting
    this.#waiting = []
    const failure = this.#keep(steps)
    if (failure === undefined) this.#foldIfItPays()
    else if (steps.length === 1) steps[0]?.reject(failure)
    else this.#keepOneByOne(steps)
  }

  /** So that a step that asks for more room than there is does not refuse the others. */
  #keepOneByOne(steps: readonly Waiting[]): void {
    for (const step of steps) {
      const failure = this.#keep([step])
      if (failure !== undefined) step.reject(failure)
    }
  }

  /** Decides, appends, applies and answers; or takes everything back and says why. */
  #keep(steps: readonly Waiting[]): Error | undefined {
    const before = this.#seq
    const lines: string[] = []
    const decided = steps.flatMap((step) => this.#decide(step, lines))
    try {
      if (lines.length > 0) this.#parts.journal.append(lines.join(''))
    } catch (error) {
      for (const { undo } of decided.reverse()) undo?.()
      this.#seq = before
      return new NotKept(`The state could not be written (${reasonOf(error)}), so nothing was changed.`, {
        cause: error,
      })
    }
    for (const { accept } of decided) accept()
    return undefined
  }

  #decide(step: Waiting, lines: string[]): Decided[] {
    try {
      const { change, accept } = step.decide()
      if (change === undefined) return [{ step, accept, undo: undefined }]
      const line = `{"seq":${this.#seq + 1},${JSON.stringify(change).slice(1)}\n`
      const undo = this.world.apply(change)
      lines.push(line)
      this.#seq += 1
      return [{ step, accept, undo }]
    } catch (error) {
      step.reject(error)
      return []
    }
  }

  /** A journal as large as the checkpoint has cost as much to write, so folding costs a constant part of each write. */
  #foldIfItPays(): void {
    if (this.#folding !== undefined || this.#parts.journal.bytes < this.#foldAt) return
    this.#folding = this.#fold().finally(() => {
      this.#folding = undefined
    })
  }

  /** Writes a checkpoint of this moment while the next entries go to a new journal file. Failing, it loses nothing. */
  async #fold(): Promise<void> {
    const { db, journal, foldFrom, checkpointBytes, report } = this.#parts
    try {
      journal.rotate()
      db.data = { seq: this.#seq, realms: this.world.images() }
      await db.write()
      await journal.dropOld()
      this.#foldAt = Math.max(foldFrom, await checkpointBytes())
    } catch (error) {
      this.#foldAt = journal.bytes * 2
      report(`The state's journal could not be folded (${reasonOf(error)}); it keeps growing until it can.`)
    } finally {
      db.data = { seq: 0, realms: [] } // the image would keep alive what the state has let go
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    const { journal, release, hurry } = this.#parts
    this.#flush()
    hurry()
    await this.#folding
    if (!journal.isEmpty) await this.#fold()
    await journal.close()
    await release()
  }
}
