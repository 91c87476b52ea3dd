import { MAX_NOW } from '../../base/core/instant.ts'

export const clockModes = ['real', 'frozen', 'shifted'] as const
export type ClockMode = (typeof clockModes)[number]

/** The state of a clock: `real` shows the machine's time, `frozen` one instant, `shifted` a time with an offset. */
export interface ClockState {
  readonly mode: ClockMode
  /** Epoch milliseconds. */
  readonly now: number
}

/** The setting of a clock, from which it shows the same time on another machine. */
export interface ClockSetting {
  readonly mode: ClockMode
  /** The instant of a frozen clock, epoch milliseconds. */
  readonly frozen: number
  /** The offset of a shifted clock from the machine's time, milliseconds. */
  readonly shift: number
}

/** The clock of a sandbox. */
export class Clock {
  readonly #real: () => number
  #mode: ClockMode = 'real'
  #frozen = 0
  #shift = 0

  /** @param frozenAt the instant at which the clock starts frozen, epoch milliseconds; undefined: it starts real */
  constructor(real: () => number, frozenAt: number | undefined) {
    this.#real = real
    if (frozenAt !== undefined) this.set('frozen', frozenAt)
  }

  /** Creates a clock with the setting of another one. */
  static of(real: () => number, { mode, frozen, shift }: ClockSetting): Clock {
    const clock = new Clock(real, undefined)
    clock.#mode = mode
    clock.#frozen = frozen
    clock.#shift = shift
    return clock
  }

  get setting(): ClockSetting {
    return { mode: this.#mode, frozen: this.#frozen, shift: this.#shift }
  }

  /** Returns the time in epoch milliseconds, at most the last instant of the year 9999. */
  now(): number {
    return Math.min(MAX_NOW, this.#mode === 'frozen' ? this.#frozen : this.#real() + this.#shift)
  }

  state(): ClockState {
    return { mode: this.#mode, now: this.now() }
  }

  /** Sets the mode. `frozen` and `shifted` begin at `now`, by default the time that the clock shows. */
  set(mode: ClockMode, now = this.now()): void {
    this.#mode = mode
    this.#frozen = now
    this.#shift = mode === 'shifted' ? now - this.#real() : 0
  }

  /** Advances the clock; a real clock becomes shifted. Returns false, without a change, beyond the year 9999. */
  advance(ms: number): boolean {
    if (this.now() + ms > MAX_NOW) return false
    this.set(this.#mode === 'frozen' ? 'frozen' : 'shifted', this.now() + ms)
    return true
  }
}
