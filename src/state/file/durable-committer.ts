import type { Low } from 'lowdb'
import { endOfTurn } from '../../core/end-of-turn.ts'
import { reasonOf } from '../../core/result.ts'
import type { Command, Committer } from '../base-store.ts'
import type { Change, ImportChange, StateData } from '../memory/state-data.ts'
import { describeLoss, StoreWriteError } from '../store.ts'
import { checkRecordLength, encodeImport } from './change-text.ts'
import type { Lock } from './lock.ts'
import type { CompleteOptions } from './options.ts'
import type { StateFile } from './state-file.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The changes that are decided in one turn of the event loop, and written together at its end. */
interface Turn {
  readonly lines: Buffer[]
  /** The last change, until it is applied: when the next one is decided, or when it is written. */
  last: Change | undefined
  /** Is false while no change is applied; then a write that fails leaves the state as it was. */
  isApplied: boolean
  /** The first error of a change that could not be applied. */
  fault: unknown
  /** Is false once the lines are being written: later changes belong to the next turn. */
  isOpen: boolean
  /** The error that refuses all changes of the turn; undefined once they are stored. */
  outcome: Promise<StoreWriteError | undefined>
}

/** The number of changes that must be stored one by one, after a write that failed, before a turn has several again. */
const SINGLE_CHANGES = 100

/**
 * A committer that writes once a turn: the changes that are decided in one turn of the event loop are appended to the
 * write-ahead log by one write at the end of the turn, and answered after it. Reads wait for that write, too, so no
 * reader sees a change that is refused, unless its sync failed. If the write of several changes fails, the state is
 * read again from the disk, as at a start. A single change is applied after its write, and a turn has one change while
 * writes fail, so a full disk costs one reading and not one for each request.
 */
export class DurableCommitter implements Committer {
  /** The state: its data are the records in memory, its adapter is the state file. */
  readonly #db: Low<StateData>
  readonly #file: StateFile
  readonly #log: WriteAheadLog
  readonly #lock: Lock
  readonly #options: CompleteOptions
  /** The turn whose changes are not stored yet, if any. */
  #turn: Turn | undefined
  /** The checkpoint that is being written. */
  #checkpoint: Promise<void> | undefined
  /** The bytes of the log at which the next checkpoint is written: its cost is a constant part of each write. */
  #nextCheckpoint: number
  /** The number of turns to come that have one change each. */
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
    lock.acknowledged = db.data.seq
    lock.serve(() => this.findLoss())
  }

  read<T>(query: (state: StateData) => T | Promise<T>): T | Promise<T> {
    if (this.#turn !== undefined) return this.#turn.outcome.then(() => this.read(query))
    return query(this.#db.data)
  }

  async commit<T>(command: Command<T>): Promise<T> {
    if (this.#turn?.isOpen === false) return this.#turn.outcome.then(() => this.commit(command))
    if (this.#closing !== undefined) throw new Error('The state is closed.')
    if (this.#turn !== undefined) this.#applyLast(this.#turn)
    const { change, result } = command(this.#db.data)
    const turn = change === undefined ? this.#turn : this.#add(change)
    const refusal = await turn?.outcome
    if (refusal !== undefined) throw refusal
    return result
  }

  /** Adds a change to the turn. Throws, with nothing changed, for a change that cannot be stored. */
  #add(change: Change): Turn {
    try {
      if (this.#turn === undefined) this.#log.checkOwner()
      const members = this.#preparedImports.get(change) ?? JSON.stringify(change).slice(1)
      checkRecordLength(this.#db.data, change, members, this.#options.maxRecordLength)
      const line = this.#log.encode(this.#db.data.seq + 1, members)
      const turn = this.#turn ?? this.#beginTurn()
      turn.lines.push(line)
      turn.last = change
      turn.isOpen = this.#singleChanges === 0
      return turn
    } catch (error) {
      throw this.#refuse(error)
    }
  }

  #beginTurn(): Turn {
    const outcome = endOfTurn().then(() => this.#write(turn))
    const turn: Turn = { lines: [], last: undefined, isApplied: false, fault: undefined, isOpen: true, outcome }
    this.#turn = turn
    const clear = () => {
      this.#turn = undefined // before all calls that wait for the outcome, since they came later
    }
    void outcome.then(clear, clear)
    return turn
  }

  /** Applies the last change of the turn. A fault refuses all changes of the turn, once they would be written. */
  #applyLast(turn: Turn): void {
    const { last } = turn
    if (last === undefined) return
    turn.last = undefined
    turn.isApplied = true
    try {
      this.#db.data.apply(last)
    } catch (error) {
      turn.fault ??= error
    }
  }

  async #write(turn: Turn): Promise<StoreWriteError | undefined> {
    turn.isOpen = false
    try {
      this.#log.append(turn.lines, () => {
        this.#applyLast(turn)
        if (turn.fault !== undefined) throw turn.fault
      })
      this.#singleChanges = Math.max(0, this.#singleChanges - 1)
    } catch (error) {
      this.#singleChanges = SINGLE_CHANGES
      return turn.isApplied ? this.#recover(error) : this.#refuse(error)
    }
    try {
      if (this.#options.sync) await this.#log.sync()
    } catch (error) {
      this.#log.lose(`the disk failed to sync its log (${reasonOf(error)})`)
      return this.#refuse(error)
    }
    this.#lock.acknowledged = this.#db.data.seq
    if (this.#log.bytes >= this.#nextCheckpoint) this.#checkpoint ??= this.#writeCheckpoint()
    return undefined
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
  async #recover(error: unknown): Promise<StoreWriteError> {
    const refusal = this.#refuse(error)
    await this.#checkpoint // which replaces the files
    try {
      if (this.#log.loss === undefined) await this.#db.read()
      return refusal
    } catch (cause) {
      this.#log.lose(`it could not be read again after a write that failed (${reasonOf(cause)})`)
      return this.#refuse(cause)
    }
  }

  /** Returns the error for changes that are not stored, and notices if the files are not this process's any more. */
  #refuse(error: unknown): StoreWriteError {
    const loss = this.#log.findLoss()
    const reason = `The state could not be written (${reasonOf(error)}), so nothing was changed.`
    return new StoreWriteError(loss === undefined ? reason : describeLoss(loss), { cause: error })
  }

  async prepareImport(change: ImportChange): Promise<void> {
    this.#preparedImports.set(change, await encodeImport(change))
  }

  findLoss(): string | undefined {
    return this.#closing === undefined ? this.#log.findLoss() : this.#log.loss // a stop releases the lock
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await this.#turn?.outcome
    await this.#checkpoint
    if (!this.#log.isEmpty && this.#log.findLoss() === undefined) await this.#writeCheckpoint()
    try {
      await this.#file.close()
    } finally {
      this.#lock.release()
    }
  }
}
