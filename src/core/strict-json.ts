import type { Json } from './json.ts'
import { joinPointer } from './json-pointer.ts'
import { describeSyntaxError } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'

/** The deepest accepted nesting, in levels. Deeper values endanger the stack of every function that recurses into them. */
export const maxDepth = 64

/**
 * The most members and items of a value, at all levels together. Each of them costs a copy, a check and a part of a digest, some 5 µs
 * in all, so that a megabyte of short ones would hold up all other requests for half a second.
 */
export const maxValues = 10_000

/** The reason why bytes are not acceptable JSON. */
export interface JsonError {
  /** JSON pointer of the value at fault; empty for the whole text. */
  readonly pointer: string
  /** A sentence without its subject: `must be UTF-8 text`. */
  readonly message: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON strictly: UTF-8, exactly one value, no member twice in one object, no `__proto__`, no lone surrogates, at most
 * `maxDepth` levels, no number that a double cannot hold. An input that two parsers could read differently is refused.
 * @param valueLimit the most members and items
 */
export function readJson(bytes: Uint8Array, valueLimit = maxValues): Result<Json, JsonError> {
  const text = decode(bytes)
  if (text === undefined) return refuse('must be UTF-8 text')
  if (hasMoreValues(text, valueLimit))
    return refuse(`must not have more than ${valueLimit} members and items in all; send less in one request`)
  const parsed = parse(text)
  if (!parsed.ok) return parsed
  const error = findError(text)
  return error ? failure(error) : parsed
}

const refuse = (message: string) => failure<JsonError>({ pointer: '', message })

/** Decodes UTF-8. Undefined: the bytes are none. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns true for JSON with more members and items than `limit`. It counts what begins them, commas and opening brackets, before
 * the text is parsed: an empty object or array counts as its own item. It is much cheaper than the parser, also for text that is no JSON.
 */
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

function parse(text: string): Result<Json, JsonError> {
  try {
    return success(JSON.parse(text))
  } catch {
    return refuse(`must be JSON: ${describeSyntaxError(text)}`)
  }
}

/** An object or array that is open at the current token. */
export interface OpenValue {
  /** The member names so far; undefined for an array. */
  readonly names: Set<string> | undefined
  /** The name or index of the current member; undefined in an object before its next name. */
  key: string | number | undefined
}

/** Finds the first thing in valid JSON that is refused. It reads the text and not the value, which has lost repeated names. */
function findError(text: string): JsonError | undefined {
  const open: OpenValue[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    const first = text[at] ?? ''
    end = endOfToken(text, at, first)
    const message = end - at === 1 ? checkCharacter(first, open) : checkToken(text.slice(at, end), open)
    if (message !== undefined) return { pointer: pointerTo(open), message }
  }
  return undefined
}

/** Returns why a token of one character is refused; undefined: it is accepted. Keeps the open objects and arrays up to date. */
export function checkCharacter(character: string, open: OpenValue[]): string | undefined {
  switch (character) {
    case '{':
    case '[':
      if (open.length === maxDepth) return `must not be nested deeper than ${maxDepth} levels`
      open.push(character === '{' ? { names: new Set(), key: undefined } : { names: undefined, key: 0 })
      return undefined
    case '}':
    case ']':
      open.pop()
      return undefined
    case ',':
      beginNextMember(open.at(-1))
  }
  return undefined
}

/** Returns why a string, number or literal is refused; undefined: it is accepted. */
export function checkToken(token: string, open: OpenValue[]): string | undefined {
  return token.startsWith('"') ? checkString(token, open) : checkNumber(token)
}

function beginNextMember(inside: OpenValue | undefined): void {
  if (inside) inside.key = typeof inside.key === 'number' ? inside.key + 1 : undefined
}

function checkString(token: string, open: OpenValue[]): string | undefined {
  const hasEscapes = token.includes('\\')
  const value: string = hasEscapes ? JSON.parse(token) : token.slice(1, -1)
  // Only an escape can write half a surrogate pair: the text itself is UTF-8.
  if (hasEscapes && !value.isWellFormed()) return 'must be well-formed Unicode; it has half a surrogate pair'
  const inside = open.at(-1)
  return inside?.names && inside.key === undefined ? checkName(value, inside, open) : undefined
}

function checkName(name: string, inside: OpenValue, open: OpenValue[]): string | undefined {
  if (inside.names?.has(name)) {
    open.length = 0 // the place of a repeated name is ambiguous: the error is about the whole text
    return `has the member ${JSON.stringify(name)} twice in one object`
  }
  inside.names?.add(name)
  inside.key = name
  return name === '__proto__' ? 'is not allowed as a member name' : undefined
}

function checkNumber(token: string): string | undefined {
  const isLiteral = token === 'true' || token === 'false' || token === 'null'
  if (isLiteral || Number.isFinite(Number(token))) return undefined
  return 'must be a number of at most 1.8e308, or at least -1.8e308'
}

/** Returns the pointer of the current member or item. */
export function pointerTo(open: readonly OpenValue[]): string {
  return joinPointer('', ...open.flatMap(({ key }) => key ?? []))
}

/** Returns the index after the token that begins at `start`: a string, a number, a literal, or one character. */
export function endOfToken(text: string, start: number, first: string): number {
  if (first === '"') return endOfString(text, start)
  let end = start + 1
  if (!isPunctuation(first)) while (end < text.length && !isPunctuation(text[end] ?? '')) end += 1
  return end
}

/** Returns true for a character that is a token of its own, or stands between tokens. */
const isPunctuation = (character: string) => '{}[]:, \n\r\t'.includes(character)

/**
 * Returns the index after the closing quote of a string; 0 where the text has none. It is no regular expression, since a long string
 * would overflow its stack.
 */
export function endOfString(text: string, opening: number): number {
  let quote = text.indexOf('"', opening + 1)
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text[index - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
