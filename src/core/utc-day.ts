const DAY_MS = 86_400_000

/** Returns the UTC day of an instant as a number: the days since 1970-01-01. The instant is in epoch milliseconds. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS)
}

/** Returns the first instant of a UTC day. */
export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS)
}

/** Returns the date of a UTC day: `2026-01-15`. */
export function nameOfDay(day: number): string {
  return startOfDay(day).toISOString().slice(0, -'T00:00:00.000Z'.length)
}
