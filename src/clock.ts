import { parseInstant } from './contract/formats.ts'

/** Between them a year has four digits, and so have the days before it that an answer goes back to. */
const first = Date.UTC(1900, 0, 1)
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The instant that a clock is to stand at; undefined for what is none, and for what is before 1900 or after 9999. */
export function parseNow(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant !== undefined && instant >= first && instant <= last ? instant : undefined
}
