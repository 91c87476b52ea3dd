/** Reads JSON strictly, large JSON in slices: at once, 16 MB take 60 ms to parse, and 5 s if they are empty lists. */
import { isUtf8 } from 'node:buffer'
import { type Flaw, type Json, membersLeft, parseJson } from './json.ts'
import { JsonReader, maxDepth } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'
import { SlicedWork } from './slices.ts'

/** The most members and items of a value. Each costs some 5 µs: a copy, a check, and a part of a digest. */
export const maxValues = 10_000

export const maxLargeValues = 2_000_000

const notUtf8 = failure({ pointer: '', message: 'must be UTF-8 text' })

/**
 * Parses JSON strictly: UTF-8, one value, no member twice in one object, no `__proto__`, no lone surrogates, at most
 * `maxDepth` levels, no number that a double cannot hold. Inputs that two parsers could read differently are refused.
 * @param values the most members and items
 */
export function readJson(bytes: Uint8Array, values = maxValues): Result<Json, Flaw> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  // JSON that `JSON.stringify` writes again unchanged has no repeated member. Nesting in longer text takes too long.
  const plain = text.length > 10 * values || /\\u|__proto__/.test(text) ? undefined : parseJson(text)
  if (plain !== undefined && membersLeft(plain, values, maxDepth) >= 0 && JSON.stringify(plain) === text)
    return success(plain)
  return new JsonReader(text, values).read().next().value as Result<Json, Flaw> // there is no pause
}

/** Parses JSON as strictly as `readJson`, with bounds for an object of long lists, in slices. */
export async function readLargeJson(bytes: Uint8Array): Promise<Result<Json, Flaw>> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  const work = new SlicedWork()
  const steps = new JsonReader(text, maxLargeValues, true).read()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (work.isDue) await work.rest()
  }
}

const utf8 = new TextDecoder()

/** Returns true for a text that begins with the byte order mark, which RFC 8259 forbids and `decode` leaves out. */
export const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Decodes UTF-8. Returns undefined for other bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? utf8.decode(bytes) : undefined
}
