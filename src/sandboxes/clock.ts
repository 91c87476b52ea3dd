import { MAX_NOW } from '../core/instant.ts'

export const clockModes = ['real', 'frozen', 'shifted'] as const
export type ClockMode = (typeof clockModes)[number]

/** What a clock shows: `real` the machine's time, `frozen` one instant, `shifted` a time that goes on from elsewhere. */
export interface ClockState {
  readonly mode: ClockMode
  /** Epoch milliseconds. */
  readonly now: number
}

/** A sandbox's time. */
export class Clock {
  readonly #real: () => number
  readonly #frozenAtStart: number | undefined
  #mode: ClockMode = 'real'
  /** Where a frozen one stands. */
  #frozen = 0
  /** What a shifted one is ahead of the machine. */
  #shift = 0

  /** `frozenAt` (epoch milliseconds): the instant it stands at from the start; undefined: real time. */
  constructor(real: () => number, frozenAt: number | undefined) {
    this.#real = real
    this.#frozenAtStart = frozenAt
    this.reset()
  }

  /** Never beyond the last instant that an answer can show, however long a shifted clock runs. */
  now(): number {
    return Math.min(MAX_NOW, this.#mode === 'frozen' ? this.#frozen : this.#real() + this.#shift)
  }

  state(): ClockState {
    return { mode: this.#mode, now: this.now() }
  }

  /** `now` counts for `frozen` and `shifted`; without it they start from what the clock shows. */
  set(mode: ClockMode, now = this.now()): void {
    this.#mode = mode
    this.#frozen = now
    this.#shift = mode === 'shifted' ? now - this.#real() : 0
  }

  /** Moves the clock on; a real one is shifted from then on. False where it would leave the bounds of `parseNow`. */
  advance(ms: number): boolean {
    if (this.now() + ms > MAX_NOW) return false
    this.set(this.#mode === 'frozen' ? 'frozen' : 'shifted', this.now() + ms)
    return true
  }

  /** Back to how it was at start. */
  reset(): void {
    if (this.#frozenAtStart === undefined) this.set('real')
    else this.set('frozen', this.#frozenAtStart)
  }
}
