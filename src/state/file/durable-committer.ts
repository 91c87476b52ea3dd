import type { Low } from 'lowdb'
import { type Json, jsonPieces } from '../../core/json.ts'
import { reasonOf } from '../../core/result.ts'
import { chunksInSlices } from '../../core/slices.ts'
import { endOfTurn } from '../../core/timers.ts'
import type { Command, Committer } from '../base-store.ts'
import type { Change, ImportChange, StateData } from '../memory/state-data.ts'
import { describeLoss, StoreWriteError } from '../store.ts'
import type { Lock } from './lock.ts'
import type { CompleteOptions } from './options.ts'
import type { StateFile } from './state-file.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** A command that waits for the end of its turn of the event loop. */
interface Waiting {
  readonly command: Command<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The number of writes of one change each, after a write that failed, before a write has several again. */
const SINGLE_CHANGES = 100

/**
 * A committer that writes once a turn: the commands of one turn of the event loop are decided at its end, their changes
 * are appended to the write-ahead log by one write, and all are answered after it. Reads wait for that write, too, so
 * no reader sees a change that is refused, unless its sync failed. If the write of several changes fails, the state is
 * read again from the disk, as at a start. The last change is applied after the write, and a write has one change while
 * writes fail, so a full disk costs one reading and not one for each request.
 */
export class DurableCommitter implements Committer {
  /** The state: its data are the records in memory, its adapter is the state file. */
  readonly #db: Low<StateData>
  readonly #file: StateFile
  readonly #log: WriteAheadLog
  readonly #lock: Lock
  readonly #options: CompleteOptions
  #waiting: Waiting[] = []
  /** Resolves when all changes of the turn are stored or refused, or undefined while no command waits. */
  #turn: Promise<void> | undefined
  /** The checkpoint that is being written. */
  #checkpoint: Promise<void> | undefined
  /** The bytes of the log at which the next checkpoint is written: its cost is a constant part of each write. */
  #nextCheckpoint: number
  /** The number of writes to come that have one change each. */
  #singleChanges = 0
  #closing: Promise<void> | undefined
  /** The entries of imports that are about to be committed. */
  readonly #preparedImports = new WeakMap<Change, string>()

  constructor(db: Low<StateData>, file: StateFile, lock: Lock, options: CompleteOptions) {
    this.#db = db
    this.#file = file
    this.#log = file.log
    this.#lock = lock
    this.#options = options
    this.#nextCheckpoint = Math.max(options.checkpointFrom, file.size)
  }

  read<T>(query: (state: StateData) => T | Promise<T>): T | Promise<T> {
    return this.#turn === undefined ? query(this.#db.data) : this.#turn.then(() => query(this.#db.data))
  }

  commit<T>(command: Command<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw new Error('The state is closed.')
      this.#waiting.push({ command, resolve: resolve as (result: unknown) => void, reject })
      if (this.#waiting.length === 1) this.#turn = this.#endTurn(this.#turn)
    })
  }

  /** Writes what waits, at the end of a turn of the event loop, once the turn before is written. */
  async #endTurn(previous: Promise<void> | undefined): Promise<void> {
    if (previous !== undefined) await previous
    await endOfTurn() // also after another turn, so that other requests are answered between the two
    const turn = this.#waiting
    this.#waiting = []
    while (turn.length > 0) {
      await this.#write(turn.splice(0, this.#singleChanges > 0 ? 1 : turn.length))
      if (turn.length > 0) await endOfTurn()
    }
    if (this.#waiting.length === 0) this.#turn = undefined
  }

  /** Decides commands, and stores their changes by one write. */
  async #write(turn: readonly Waiting[]): Promise<void> {
    const { data } = this.#db
    const lines: Buffer[] = []
    const answers: (() => void)[] = []
    let last: Change | undefined
    let isApplied = false
    const applyLast = () => {
      if (last === undefined) return
      isApplied = true
      data.apply(last)
    }
    try {
      for (const each of turn) {
        applyLast()
        last = this.#decide(each, lines, answers)
      }
      if (lines.length > 0) await this.#store(lines, applyLast)
      for (const answer of answers) answer()
    } catch (error) {
      this.#singleChanges = SINGLE_CHANGES
      if (isApplied) await this.#recover()
      const refusal = this.#refuse(error)
      for (const { reject } of turn) reject(refusal)
    }
  }

  /** Adds the line of the command's change, and its answer. A command that cannot be stored is refused alone. */
  #decide({ command, resolve, reject }: Waiting, lines: Buffer[], answers: (() => void)[]): Change | undefined {
    try {
      const { change, result } = command(this.#db.data)
      if (change !== undefined) lines.push(this.#encode(change, lines.length === 0))
      answers.push(() => resolve(result))
      return change
    } catch (error) {
      reject(error)
      return undefined
    }
  }

  /** Returns the line of a change. Throws, with nothing changed, for a change that cannot be stored. */
  #encode(change: Change, isFirst: boolean): Buffer {
    const { data } = this.#db
    try {
      if (isFirst) this.#log.checkFiles()
      const members = this.#preparedImports.get(change) ?? JSON.stringify(change).slice(1)
      return this.#log.encode(data.seq + 1, members)
    } catch (error) {
      throw this.#refuse(error)
    }
  }

  async #store(lines: readonly Buffer[], apply: () => void): Promise<void> {
    this.#log.append(lines, apply)
    if (this.#options.sync)
      await this.#log.sync().catch((error) => {
        this.#log.lose(`the disk failed to sync its log (${reasonOf(error)})`)
        throw error
      })
    this.#singleChanges = Math.max(0, this.#singleChanges - 1)
    if (this.#log.bytes >= this.#nextCheckpoint) this.#checkpoint ??= this.#writeCheckpoint()
  }

  /** Writes the state to its file. A failure loses nothing. */
  async #writeCheckpoint(): Promise<void> {
    try {
      await this.#db.write()
      this.#nextCheckpoint = Math.max(this.#options.checkpointFrom, this.#file.size)
    } catch (error) {
      this.#nextCheckpoint = this.#log.bytes * 2
      const problem =
        `The checkpoint of the state could not be written (${reasonOf(error)}). ` +
        'No change is lost; the log grows until a checkpoint succeeds.'
      if (this.#log.findLoss() === undefined) this.#options.report(problem)
    }
    this.#checkpoint = undefined
  }

  /** Reads the state again from the disk, without the changes that could not be written. */
  async #recover(): Promise<void> {
    await this.#checkpoint // which replaces the files
    try {
      if (this.#log.findLoss() === undefined) await this.#db.read()
    } catch (error) {
      this.#log.lose(`it could not be read again after a write that failed (${reasonOf(error)})`)
    }
  }

  /** Returns the error for changes that are not stored, and notices if the files are not this process's any more. */
  #refuse(error: unknown): StoreWriteError {
    const loss = this.#log.findLoss()
    const reason = `The state could not be written (${reasonOf(error)}), so nothing was changed.`
    return new StoreWriteError(loss === undefined ? reason : describeLoss(loss), { cause: error })
  }

  async prepareImport(change: ImportChange): Promise<void> {
    const { state, data: _, ...head } = change
    let members = `${JSON.stringify(head).slice(1, -1)},"state":`
    for await (const chunk of chunksInSlices(jsonPieces(state as unknown as Json))) members += chunk
    this.#preparedImports.set(change, `${members}}`)
  }

  findLoss(): string | undefined {
    return this.#closing === undefined ? this.#log.findLoss() : this.#log.loss // a stop releases the lock
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await this.#turn
    await this.#checkpoint
    if (!this.#log.isEmpty && this.#log.findLoss() === undefined) await this.#writeCheckpoint()
    await this.#file.close().finally(() => this.#lock.release())
  }
}
