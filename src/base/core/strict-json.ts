/**
 * Reads JSON strictly, also large JSON in slices, between which other requests are handled: 16 MB in one piece take
 * 60 ms to parse, and 5 s to check if they are empty lists.
 */
import { type Json, parseJson } from './json.ts'
import { type JsonError, JsonReader, maxDepth } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'
import { SlicedWork } from './slices.ts'

/**
 * The most members and items of a value at all levels. Each costs a copy, a check and a part of a digest, some 5 µs in
 * all, so that a megabyte of short ones would hold up all other requests for half a second.
 */
export const maxValues = 10_000

/** The most members and items of large JSON in all. */
export const maxLargeValues = 2_000_000

const notUtf8 = failure({ pointer: '', message: 'must be UTF-8 text' })

/**
 * Parses JSON strictly: UTF-8, one value, no member twice in one object, no `__proto__`, no lone surrogates, at most
 * `maxDepth` levels, no number that a double cannot hold. Inputs that two parsers could read differently are refused.
 * @param values the most members and items
 */
export function readJson(bytes: Uint8Array, values = maxValues): Result<Json, JsonError> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  const plain = text.length <= values ? parsePlainJson(text) : undefined
  if (plain !== undefined) return success(plain)
  return new JsonReader(text, values).read().next().value as Result<Json, JsonError> // there is no pause
}

/** Parses JSON that `JSON.stringify` writes again as it is, in half the time; a repeated member is lost there. */
function parsePlainJson(text: string): Json | undefined {
  if (/\\u|__proto__/.test(text) || (text.match(/[[{]/g)?.length ?? 0) > maxDepth) return undefined
  const value = parseJson(text)
  return value !== undefined && JSON.stringify(value) === text ? value : undefined
}

/** Parses JSON as strictly as `readJson`, with bounds for an object of long lists, in slices. */
export async function readLargeJson(bytes: Uint8Array): Promise<Result<Json, JsonError>> {
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

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8. Returns undefined for other bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
