/** A date, alone or with a time; a time with seconds may have a fraction and an offset. */
const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?)?)?$/i

const MINUTE = 60_000

const FIRST = Date.parse('0000-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59Z')

/**
 * Reads the forms of an instant that the service is taken to understand: RFC 3339 (`2026-01-15T12:00:00.5+01:00`),
 * calendar dates (`2026-01-15`) and date-times without offset (`2026-01-15T12:00`), the last two as UTC. A leap second
 * (`23:59:60` UTC) counts as the last millisecond before it.
 * In UTC it must have a year of four digits, or nothing could write it down again.
 * @returns epoch milliseconds, or undefined for anything else, such as the 30th of February or another form of ISO 8601
 */
export function parseInstant(text: string): number | undefined {
  const parts = SHAPE.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = parts
  const midnight = startOfDay(Number(year), Number(month), Number(day))
  const shift = offsetMinutes(offset)
  if (midnight === undefined || shift === undefined) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const start = midnight + (Number(hour) * 60 + Number(minute) - shift) * MINUTE
  if (start < FIRST || start > LAST) return undefined
  if (Number(second) === 60) return endsDay(start) ? start + MINUTE - 1 : undefined
  return start + Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
}

/** UTC midnight of a day that the calendar has; undefined for one that it has not. */
function startOfDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month - 1, day)
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return real ? date.getTime() : undefined
}

function offsetMinutes(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Whether the minute that starts here is the last of its UTC day, the only one that can hold a leap second. */
function endsDay(minute: number): boolean {
  return (minute + MINUTE) % (24 * 60 * MINUTE) === 0
}

/** Between them a year has four digits, and so have the days before it that an answer goes back to. */
const firstNow = Date.UTC(1900, 0, 1)
export const lastNow = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `90s`, `1.5h`, `250ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  return number === undefined ? undefined : Math.round(Number(number) * unitMs[unit as keyof typeof unitMs])
}

/** The instant that a clock is to stand at; undefined for what is none, and for what is before 1900 or after 9999. */
export function parseNow(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant !== undefined && instant >= firstNow && instant <= lastNow ? instant : undefined
}
