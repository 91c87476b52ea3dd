import { memoizeLast } from './memoize.ts'

const INSTANT_PATTERN = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})?)?$/i

const MINUTE_MS = 60_000

const MIN_INSTANT = Date.parse('0000-01-01T00:00:00Z')
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59Z')

/**
 * Parses an RFC 3339 instant (`2026-01-15T12:00:00.5+01:00`). The seconds, the offset (default: UTC) and the time
 * (default: midnight UTC) are optional. A leap second becomes the last millisecond of its UTC day. The year in UTC must
 * have four digits. Returns epoch milliseconds, or undefined for other text, such as `2026-02-30`.
 */
export function parseInstant(text: string): number | undefined {
  const parts = INSTANT_PATTERN.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = parts
  const midnight = parseDay(Number(year), Number(month), Number(day))
  const minutesAhead = parseOffset(offset)
  if (midnight === undefined || minutesAhead === undefined) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const start = midnight + (Number(hour) * 60 + Number(minute) - minutesAhead) * MINUTE_MS
  if (start < MIN_INSTANT || start > MAX_INSTANT) return undefined
  if (Number(second) === 60) return isLastMinuteOfDay(start) ? start + MINUTE_MS - 1 : undefined
  return start + Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
}

function parseDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? date.getTime() : undefined
}

function parseOffset(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Returns true for the start of the last minute of a UTC day. Only that minute can have a leap second. */
function isLastMinuteOfDay(minute: number): boolean {
  return (minute + MINUTE_MS) % (24 * 60 * MINUTE_MS) === 0
}

const MIN_NOW = Date.UTC(1900, 0, 1)

export const MAX_NOW = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses a duration such as `90s`, `1.5h` or `250ms`. Returns milliseconds, or undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  return number === undefined ? undefined : Math.round(Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS])
}

/** Parses a time for setting a clock. Returns undefined for invalid text, and for times before 1900 or after 9999. */
export function parseNow(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant !== undefined && instant >= MIN_NOW && instant <= MAX_NOW ? instant : undefined
}

const DAY_MS = 86_400_000

/** Returns the number of days from 1970-01-01 to the UTC day of an instant (in epoch milliseconds). */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS)
}

export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS)
}

/** Returns the date of a UTC day: `2026-01-15`. */
export function isoDateOf(day: number): string {
  return startOfDay(day).toISOString().slice(0, -'T00:00:00.000Z'.length)
}

/** Formats an instant as an HTTP date: `Thu, 15 Jan 2026 12:00:00 GMT`. */
export const httpDate = (() => {
  const format = memoizeLast((second: number) => new Date(second * 1000).toUTCString())
  return (instant: number) => format(Math.floor(instant / 1000))
})()
