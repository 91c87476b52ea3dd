import { machineNow } from '../../core/timers.ts'
import { CLOCK_TOLERANCE_MS } from './rate-window.ts'

/**
 * Compares the clock of this machine with that of Redis, and reports once when they differ by more than rate windows
 * bear.
 */
export class ClockComparison {
  readonly #report: (problem: string) => void
  readonly #now: () => number
  #isReported = false

  constructor(report: (problem: string) => void, now: () => number = machineNow) {
    this.#report = report
    this.#now = now
  }

  /** Sends a command whose reply has the time of Redis, and compares that with the times before and after. */
  async compare<Reply extends { readonly redisMs: number }>(send: () => Promise<Reply>): Promise<Reply> {
    const before = this.#now()
    const reply = await send()
    const aheadMs = Math.max(0, before - reply.redisMs) - Math.max(0, reply.redisMs - this.#now())
    const isOff = Math.abs(aheadMs) > CLOCK_TOLERANCE_MS
    if (isOff && !this.#isReported) this.#report(describeDifference(aheadMs))
    this.#isReported = isOff
    return reply
  }
}

function describeDifference(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return `The clock of this machine is ${seconds} s ${direction} that of Redis. Limits of requests hold across replicas whose clocks differ by less than ${CLOCK_TOLERANCE_MS / 1000} s. Synchronise the clocks of all machines.`
}
