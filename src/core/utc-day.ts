/** A UTC day has a number: 0 is 1970-01-01. */
const DAY_MS = 86_400_000

/** Returns the day of an instant, which is given in epoch milliseconds. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS)
}

/** Returns midnight (UTC) of a day. */
export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS)
}

/** Returns the calendar date of a day: `2026-01-15`. */
export function nameOfDay(day: number): string {
  return startOfDay(day).toISOString().slice(0, -'T00:00:00.000Z'.length)
}
