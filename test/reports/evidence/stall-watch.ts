import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './run.ts'

/** The time for which client or simulator may stand still, milliseconds; shorter than the shortest wait of a client. */
export const longestStallMs = 50

/** Watches whether this process and the simulator answer in time. On a busy machine neither can measure short waits. */
export class StallWatch {
  readonly #target: Target
  #hasEnded = false
  /** The times at which a stall ended, by the clock of this process. */
  readonly #stalls: number[] = []
  #watching: Promise<void> | undefined
  #look: Promise<void> | undefined

  constructor(target: Target) {
    this.#target = target
  }

  start(): void {
    this.#watching = this.#watch()
  }

  async stop(): Promise<void> {
    this.#hasEnded = true
    await this.#watching
  }

  /** Returns true where a stall ended after this time. Waits for the look that is under way, which a stall prolongs. */
  async hasStalledSince(time: number): Promise<boolean> {
    await this.#look
    return (this.#stalls.at(-1) ?? Number.NEGATIVE_INFINITY) >= time
  }

  async #watch(): Promise<void> {
    while (!this.#hasEnded) {
      this.#look = this.#lookOnce()
      await this.#look
    }
  }

  async #lookOnce(): Promise<void> {
    const pauseMs = 15
    const begin = performance.now()
    await sleep(pauseMs)
    await (await fetch(`${this.#target.origin}/__sim/health`)).text()
    if (performance.now() - begin > pauseMs + longestStallMs) this.#stalls.push(performance.now())
  }
}
