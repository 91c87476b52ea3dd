/** A rate window as it is stored. Times are epoch milliseconds. */
export interface RateWindowRecord {
  readonly opened: number
  readonly ends: number
  readonly used: number
}

/**
 * The milliseconds by which the clocks of two replicas can differ: a window that begins so much in the future was opened by another replica, and is
 * open. One that begins later has ended, since the sandbox's clock was set back. So a clock that is set back by less leaves its windows open.
 */
export const CLOCK_TOLERANCE_MS = 3000

/** Returns true if a rate window is open, as `CONSUME_RATE` decides it in Redis. */
export function isOpen({ opened, ends }: RateWindowRecord, now: number): boolean {
  return opened <= now + CLOCK_TOLERANCE_MS && now < ends
}
