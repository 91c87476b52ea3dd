import { monotonicNow } from '../../core/timers.ts'
import type { ExchangeOutcome } from './exchange-outcome.ts'

/** The number of times that a change is decided before it is refused. */
const MAX_TRIES = 20

/** The number of tries after which a replica pauses between them, and reserves the log if it is too late again. */
const TRIES_AT_ONCE = 3

/** The longest pause between tries, milliseconds. */
const MAX_PAUSE_MS = 8

/** The bounds of the time for which a replica reserves a log. Others wait no longer if the replica ends meanwhile. */
const MIN_RESERVE_MS = 50
const MAX_RESERVE_MS = 3000

/** The time for which a replica waits for a log that others have reserved. */
const MAX_WAIT_MS = 2 * MAX_RESERVE_MS

/** The tries of one change, which is too late whenever another replica has appended meanwhile. */
export class Tries {
  readonly #random: () => number
  #count = 1
  #begun = 0
  #waitedMs = 0
  /** The milliseconds for which the log is reserved if the next try is too late; 0: it is not. */
  reserveMs = 0

  /** `random`: see `RedisCommitterDeps`. */
  constructor(random: () => number) {
    this.#random = random
  }

  /** True: the change is to be refused. */
  get areOver(): boolean {
    return this.#count > MAX_TRIES || this.#waitedMs > MAX_WAIT_MS
  }

  begin(): void {
    this.#begun = monotonicNow()
  }

  /**
   * Notes that the try was in vain, and returns the milliseconds to pause before the next one. A reservation lasts twice as long as the try, since a
   * large change takes as long to be sent again. A replica that was often too late pauses for less, since it has reserved the log.
   */
  fail(outcome: ExchangeOutcome): number {
    const tookMs = monotonicNow() - this.#begun
    const isReserved = outcome === 'reserved'
    if (!isReserved) this.#count += 1
    const isLate = this.#count > TRIES_AT_ONCE
    if (isLate) this.reserveMs = Math.ceil(Math.min(MAX_RESERVE_MS, Math.max(MIN_RESERVE_MS, 2 * tookMs)))
    const pauseMs = isLate || isReserved ? (this.#random() * MAX_PAUSE_MS) / this.#count : 0
    if (isReserved) this.#waitedMs += tookMs + pauseMs
    return pauseMs
  }
}
