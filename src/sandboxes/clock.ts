import { parseInstant } from '../documents/formats.ts'

/** Between them a year has four digits, and so have the days before it that an answer goes back to. */
const first = Date.UTC(1900, 0, 1)
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

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
    return Math.min(last, this.#mode === 'frozen' ? this.#frozen : this.#real() + this.#shift)
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
    if (this.now() + ms > last) return false
    this.set(this.#mode === 'frozen' ? 'frozen' : 'shifted', this.now() + ms)
    return true
  }

  /** Back to how it was at start. */
  reset(): void {
    if (this.#frozenAtStart === undefined) this.set('real')
    else this.set('frozen', this.#frozenAtStart)
  }
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `90s`, `1.5h`, `250ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  return number === undefined ? undefined : Math.round(Number(number) * unitMs[unit as keyof typeof unitMs])
}

/** The instant that a clock is to stand at; undefined for what is none, and for what is before 1900 or after 9999. */
export function parseNow(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant !== undefined && instant >= first && instant <= last ? instant : undefined
}
