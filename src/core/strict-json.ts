import type { Json, JsonObject } from './json.ts'
import { joinPointer } from './json-pointer.ts'
import { failure, type Result, reasonOf, success } from './result.ts'

/** The deepest accepted nesting, in levels. A recursive function could overflow its stack on deeper values. */
export const maxDepth = 64

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
 */
export function readJson(bytes: Uint8Array): Result<Json, JsonError> {
  const text = decode(bytes)
  if (text === undefined) return refuse('must be UTF-8 text')
  const parsed = parse(text)
  if (!parsed.ok) return parsed
  const members = countMembers(parsed.value, 0)
  if (Number.isNaN(members)) return failure(findError(parsed.value))
  // Counting colons after quotes is quicker. Their number is at least that of the written members, since strings may contain some.
  const hasDuplicate = countColons(text) !== members && countWrittenMembers(text) !== members
  return hasDuplicate ? refuseDuplicate(text) : parsed
}

const refuse = (message: string) => failure<JsonError>({ pointer: '', message })

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): Result<Json, JsonError> {
  try {
    return success(JSON.parse(text))
  } catch (error) {
    return refuse(`must be JSON: ${reasonOf(error).slice(0, 200)}`)
  }
}

/** Returns the number of members of a value, nested ones included; NaN if a part of the value is not accepted. */
function countMembers(value: Json, depth: number): number {
  if (typeof value !== 'object' || value === null) return isAccepted(value) ? 0 : Number.NaN
  if (depth >= maxDepth) return Number.NaN
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countMembers(item, depth + 1)
  else for (const key in value) count += countKey(key) + countMembers(value[key] ?? null, depth + 1)
  return count
}

const isAccepted = (value: Json) =>
  typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value)

const countKey = (key: string) => (key !== '__proto__' && isAccepted(key) ? 1 : Number.NaN)

interface Search {
  /** Undefined until an error is found. */
  error: JsonError | undefined
}

/** Returns an error of a value that `countMembers` does not accept. */
function findError(value: Json): JsonError {
  const search: Search = { error: undefined }
  searchValue(value, '', 0, search)
  if (!search.error) throw new Error('countMembers met a value that findError cannot find')
  return search.error
}

function searchValue(value: Json, pointer: string, depth: number, search: Search): void {
  if (search.error) return
  if (typeof value === 'string') checkText(value, pointer, search)
  if (value === Infinity || value === -Infinity)
    search.error = { pointer, message: 'must be a number of at most 1.8e308, or at least -1.8e308' }
  if (typeof value !== 'object' || value === null) return
  if (depth >= maxDepth) {
    search.error = { pointer, message: `must not be nested deeper than ${maxDepth} levels` }
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) searchValue(item, `${pointer}/${index}`, depth + 1, search)
  } else {
    searchMembers(value, pointer, depth, search)
  }
}

function searchMembers(value: JsonObject, pointer: string, depth: number, search: Search): void {
  for (const key of Object.keys(value)) {
    const memberPointer = joinPointer(pointer, key)
    checkText(key, pointer, search)
    if (key === '__proto__')
      search.error = { pointer: memberPointer, message: 'is not allowed as a member name' }
    else searchValue(value[key] ?? null, memberPointer, depth + 1, search)
  }
}

function checkText(text: string, pointer: string, search: Search): void {
  if (!text.isWellFormed())
    search.error = { pointer, message: 'must be well-formed Unicode; it has half a surrogate pair' }
}

function countColons(text: string): number {
  return text.match(/"\s*:/g)?.length ?? 0
}

/** Returns the number of members in the text. It is larger than in the parsed value if a name occurs twice in one object. */
function countWrittenMembers(text: string): number {
  let count = 0
  for (const token of scanStructure(text)) if (token.startsWith('"')) count += 1
  return count
}

/** Refuses a text that has a duplicate member, with the name of the first duplicate. */
function refuseDuplicate(text: string): Result<Json, JsonError> {
  const open: Set<string>[] = []
  for (const token of scanStructure(text)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else {
      const name: string = JSON.parse(token)
      const names = open.at(-1)
      if (names?.has(name)) return refuse(`has the member ${JSON.stringify(name)} twice in one object`)
      names?.add(name)
    }
  }
  throw new Error('the count of members shows a duplicate that the text does not have')
}

const colon = /\s*:/y

/**
 * Yields the braces of a JSON text and the names of members as they are written, quotes included. A single regular expression
 * for whole strings would overflow its stack on long ones.
 */
function* scanStructure(text: string): Generator<string> {
  const next = /["{}]/g
  for (let found = next.exec(text); found; found = next.exec(text)) {
    const [token] = found
    if (token === '"') {
      const end = endOfString(text, found.index)
      next.lastIndex = end
      colon.lastIndex = end
      if (colon.test(text)) yield text.slice(found.index, end)
    } else {
      yield token
    }
  }
}

/** Returns the index after the closing quote of the string that opens at `opening`. */
function endOfString(text: string, opening: number): number {
  let quote = text.indexOf('"', opening + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text[index - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
