/** A UTC day is told by its number, 0 for 1970-01-01. */
const dayMs = 86_400_000

/** The day of an instant, epoch milliseconds. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayMs)
}

/** When a day begins. */
export function startOfDay(day: number): Date {
  return new Date(day * dayMs)
}

/** `2026-01-15` */
export function nameOfDay(day: number): string {
  return startOfDay(day).toISOString().slice(0, -'T00:00:00.000Z'.length)
}
