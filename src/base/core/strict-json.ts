/** Reads JSON strictly, and large JSON in slices, since reading 16 MB takes 60 ms, or 5 s for a list of empty lists. */
import { isUtf8 } from 'node:buffer'
import { type Flaw, type Json, membersLeft, parseJson } from './json.ts'
import { JsonReader, maxDepth } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'
import { SlicedWork } from './slices.ts'

/** The maximum count of members and items in a value. Each costs about 5 µs: a copy, a check, and part of a digest. */
export const maxValues = 10_000

export const maxLargeValues = 2_000_000

const notUtf8 = failure({ pointer: '', message: 'must be UTF-8 text' })

/**
 * Parses JSON strictly: UTF-8, one value, no duplicate members, `__proto__` or unpaired surrogates, and no numbers that
 * exceed the range of a double, since parsers differ in how they read text that breaks these rules. Allows at most
 * `maxDepth` levels, and `limit` members and items.
 */
export function readJson(bytes: Uint8Array, limit = maxValues): Result<Json, Flaw> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  // JSON that `JSON.stringify` reproduces unchanged has no duplicate member. For long text, this check takes too long.
  const plain = text.length > 10 * limit || /\\u|__proto__/.test(text) ? undefined : parseJson(text)
  if (plain !== undefined && membersLeft(plain, limit, maxDepth) >= 0 && JSON.stringify(plain) === text)
    return success(plain)
  return new JsonReader(text, limit).read().next().value as Result<Json, Flaw> // yields only in large JSON
}

/** Parses JSON as strictly as `readJson`, in slices, with limits suited to an object with long lists. */
export async function readLargeJson(bytes: Uint8Array): Promise<Result<Json, Flaw>> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  const work = new SlicedWork()
  const steps = new JsonReader(text, maxLargeValues, true).read()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (work.isPauseDue) await work.pause()
  }
}

const utf8 = new TextDecoder()

/** Returns true for bytes that begin with a byte order mark, which RFC 8259 forbids and `decode` strips. */
export const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Decodes UTF-8. Returns undefined if the bytes are not valid UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? utf8.decode(bytes) : undefined
}
