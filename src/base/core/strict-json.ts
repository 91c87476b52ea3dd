/**
 * Reads JSON strictly, also large JSON in slices, between which other requests are handled: 16 MB in one piece take
 * 60 ms to parse, and 5 s to check if they are empty lists.
 */
import type { Json, JsonObject } from './json.ts'
import { joinPointer } from './json-pointer.ts'
import { describeSyntaxError, endOfString, JsonTokens } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'
import { SlicedWork } from './slices.ts'

/** The deepest accepted nesting, in levels, which saves the stack of functions that recurse into values. */
export const maxDepth = 64

/**
 * The most members and items of a value at all levels. Each costs a copy, a check and a part of a digest, some 5 µs in
 * all, so that a megabyte of short ones would hold up all other requests for half a second.
 */
export const maxValues = 10_000

/** The most members and items of large JSON in all. */
export const maxLargeValues = 2_000_000

/** The most members and items, and characters, of a record (an item of an outermost list), and around lists. */
export const maxRecordValues = 40_000
export const maxRecordLength = 4 * 1024 * 1024

/** The most characters of a text or a number in large JSON: one is read in one step. */
const maxTokenLength = 2 * 1024 * 1024

/** The characters after which the time is looked at. */
const stepLength = 4096

/** The reason why bytes are not acceptable JSON. */
export interface JsonError {
  /** JSON pointer of the value at fault; empty for the whole text. */
  readonly pointer: string
  /** A sentence without its subject: `must be UTF-8 text`. */
  readonly message: string
}

/**
 * Parses JSON strictly: UTF-8, one value, no member twice in one object, no `__proto__`, no lone surrogates, at most
 * `maxDepth` levels, no number that a double cannot hold. Inputs that two parsers could read differently are refused.
 * @param valueLimit the most members and items
 */
export function readJson(bytes: Uint8Array, valueLimit = maxValues): Result<Json, JsonError> {
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  const plain = text.length <= valueLimit ? parsePlainJson(text) : undefined
  if (plain !== undefined) return success(plain)
  const bounds = { values: valueLimit, hint: '; send less in one request', isLarge: false }
  const reader = new JsonReader(text, bounds)
  return reader.readTo(text.length) ?? reader.finish()
}

/** Parses JSON that `JSON.stringify` writes again as it is, in half the time; a repeated member is lost there. */
function parsePlainJson(text: string): Json | undefined {
  if (/\\u|__proto__/.test(text) || (text.match(/[[{]/g)?.length ?? 0) > maxDepth) return undefined
  try {
    const value: Json = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses JSON as strictly as `readJson`, with bounds for an object of long lists, in slices. */
export async function readLargeJson(bytes: Uint8Array): Promise<Result<Json, JsonError>> {
  const work = new SlicedWork()
  const text = decode(bytes)
  if (text === undefined) return notUtf8
  const reader = new JsonReader(text, { values: maxLargeValues, hint: '', isLarge: true })
  while (reader.at < text.length) {
    if (work.isDue) await work.rest()
    const refusal = reader.readTo(reader.at + stepLength)
    if (refusal) return refusal
  }
  return reader.finish()
}

const tooMany = 'must not have more than'

const refuseJson = (message: string, pointer = ''): Result<never, JsonError> => failure({ pointer, message })

const notUtf8 = refuseJson('must be UTF-8 text')

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8. Returns undefined for other bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns true for JSON with more members and items than `limit`, before it is parsed, and much cheaper. */
export function hasMoreValues(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  let count = 0
  for (let at = 0; at < text.length && count <= limit; ) {
    const character = text[at] ?? ''
    if (',[{'.includes(character)) count += 1
    // A string without its end is left to the parser.
    at = character === '"' ? endOfString(text, at) || text.length : at + 1
  }
  return count > limit
}

/** The most members and items, the remedy for more, and true where the bounds of large JSON hold. */
interface Bounds {
  readonly values: number
  readonly hint: string
  readonly isLarge: boolean
}

/** An object or list that is open at the present token. */
interface OpenValue {
  readonly container: Json[] | JsonObject
  /** The name or index of the present member; undefined in an object before its next name. */
  key: string | number | undefined
}

class JsonReader {
  readonly #tokens: JsonTokens
  readonly #text: string
  readonly #bounds: Bounds
  readonly #open: OpenValue[] = []
  #value: Json = null
  #values = 0
  #record = { from: 0, values: 0 }

  constructor(text: string, bounds: Bounds) {
    this.#text = text
    this.#bounds = bounds
    this.#tokens = new JsonTokens(text, bounds.isLarge ? maxTokenLength : undefined)
  }

  get at(): number {
    return this.#tokens.at
  }

  /** Reads tokens until an index of the text. Returns the first thing that is refused. */
  readTo(index: number): Result<never, JsonError> | undefined {
    const end = Math.min(index, this.#text.length)
    while (this.at < end) {
      const read = this.#tokens.next() ? this.#readToken() : this.#refuseSyntax()
      const refusal = read ?? this.#checkBounds()
      if (refusal) return refusal
    }
    return undefined
  }

  /** Returns the value, once the whole text is read. */
  finish(): Result<Json, JsonError> {
    return this.#refuseSyntax() ?? success(this.#value)
  }

  #readToken(): Result<never, JsonError> | undefined {
    const { first, value, expected } = this.#tokens
    const inside = this.#open.at(-1)
    switch (first) {
      case '{':
        return this.#enter({}, undefined)
      case '[':
        return this.#enter([], 0)
      case '}':
      case ']':
        this.#open.pop()
        return undefined
      case ',':
        this.#count()
        if (inside) inside.key = typeof inside.key === 'number' ? inside.key + 1 : undefined
        return undefined
      case ':':
      case ' ':
        return undefined
    }
    return this.#readScalar(value, expected === 'colon' ? inside : undefined)
  }

  #enter(container: OpenValue['container'], key: OpenValue['key']): Result<never, JsonError> | undefined {
    if (this.#open.length === maxDepth) return this.#refuse(`must not be nested deeper than ${maxDepth} levels`)
    this.#count()
    this.#add(container)
    this.#open.push({ container, key })
    return undefined
  }

  /** Reads a string, number or literal, which is the name of a member of `named`, if that is given. */
  #readScalar(value: Json, named: OpenValue | undefined): Result<never, JsonError> | undefined {
    // Only an escape can write half a surrogate pair: the text itself is UTF-8.
    if (typeof value === 'string' && !value.isWellFormed())
      return this.#refuse('must be well-formed Unicode; it has half a surrogate pair')
    if (typeof value === 'number' && !Number.isFinite(value))
      return this.#refuse('must be a number of at most 1.8e308, or at least -1.8e308')
    if (!named) this.#add(value)
    else {
      const name = String(value)
      // The place of a repeated name is ambiguous: the error is about the whole text.
      if (Object.hasOwn(named.container, name))
        return refuseJson(`has the member ${JSON.stringify(name)} twice in one object`)
      named.key = name
      if (name === '__proto__') return this.#refuse('is not allowed as a member name')
    }
    return undefined
  }

  /** Adds a value to the object or list that is open. The first value is the result. */
  #add(value: Json): void {
    const inside = this.#open.at(-1)
    if (inside)
      (inside.container as Record<string | number, Json>)[inside.key ?? 0] = value // a name, or an index of a list
    else this.#value = value
  }

  #count(): void {
    const { at, brackets } = this.#tokens
    this.#values += 1
    this.#record.values += 1
    const isBetweenRecords = brackets.length === 2 && brackets[1] === '['
    if (isBetweenRecords) this.#record = { from: at, values: 0 }
  }

  #checkBounds(): Result<never, JsonError> | undefined {
    const { values, hint, isLarge } = this.#bounds
    if (this.#values > values) return refuseJson(`${tooMany} ${values} members and items in all${hint}`)
    if (!isLarge) return undefined
    if (this.#record.values > maxRecordValues) return this.#refuse(`${tooMany} ${maxRecordValues} members and items`, 2)
    if (this.at - this.#record.from > maxRecordLength)
      return this.#refuse(`${tooMany} ${maxRecordLength} characters`, 2)
    return undefined
  }

  /** Returns the refusal of the present value, or of what contains it at a depth. */
  #refuse(message: string, depth = maxDepth): Result<never, JsonError> {
    return refuseJson(message, joinPointer('', ...this.#open.slice(0, depth).flatMap(({ key }) => key ?? [])))
  }

  /** Returns the refusal of what follows the last token, or undefined if nothing does. */
  #refuseSyntax(): Result<never, JsonError> | undefined {
    if (this.#tokens.isComplete) return undefined
    if (this.#tokens.isTooLong) return this.#refuse(`${tooMany} ${maxTokenLength} characters in a text`)
    return refuseJson(`must be JSON: ${describeSyntaxError(this.#text, undefined, this.#tokens)}`)
  }
}
