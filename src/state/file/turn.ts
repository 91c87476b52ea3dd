import { nextTurn } from '../../core/timers.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import type { StoreWriteError } from '../store.ts'

/** The changes that are decided in one turn of the event loop, and written together at its end. */
export class Turn {
  readonly lines: Buffer[] = []
  /** The last change, until it is applied: when the next one is decided, or when it is written. */
  #last: Change | undefined
  /** Is false while no change is applied; then a write that fails leaves the state as it was. */
  isApplied = false
  /** The first error of a change that could not be applied. */
  fault: unknown
  /** False once the lines are being written: later changes belong to the next turn. */
  isOpen = true
  /** The error that refuses all changes of the turn; undefined once they are stored. */
  readonly outcome: Promise<StoreWriteError | undefined>

  constructor(end: (turn: Turn) => Promise<StoreWriteError | undefined>) {
    this.outcome = nextTurn().then(() => end(this))
  }

  add(change: Change, line: Buffer): void {
    this.lines.push(line)
    this.#last = change
  }

  applyLast(state: StateData): void {
    const last = this.#last
    if (last === undefined) return
    this.#last = undefined
    this.isApplied = true
    try {
      state.apply(last)
    } catch (error) {
      this.fault ??= error
    }
  }
}
