import type { Json, JsonObject } from './json.ts'
import { below } from './json-pointer.ts'

/** Deeper than any honest body; a parser that recurses would be in danger beyond. */
export const maxDepth = 64

/** The JSON value of a body, or what keeps it from being one. `pointer` is the place, empty for the whole. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly pointer: string; readonly message: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads JSON strictly: UTF-8, one value, no member twice, no `__proto__`, no lone surrogates, at most `maxDepth` deep, no number too large to keep.
 * What two readers could understand in two ways is refused, not guessed.
 */
export function readJson(bytes: Uint8Array): ReadJson {
  const text = decode(bytes)
  if (text === undefined) return no('must be UTF-8 text')
  const parsed = parse(text)
  if (!parsed.ok) return parsed
  const members = membersOf(parsed.value, 0)
  if (Number.isNaN(members)) return { ok: false, ...problemIn(parsed.value) }
  // The quicker count also takes for members what looks like one within a text: never too few.
  const isTwice = countColons(text) !== members && countWrittenMembers(text) !== members
  return isTwice ? duplicate(text) : parsed
}

const no = (message: string, pointer = ''): ReadJson => ({ ok: false, pointer, message })

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return no(`must be JSON: ${reason.slice(0, 200)}`)
  }
}

/** How many members a value has all through; NaN where it has what is not allowed. */
function membersOf(value: Json, depth: number): number {
  if (typeof value !== 'object' || value === null) return isAllowed(value) ? 0 : Number.NaN
  if (depth >= maxDepth) return Number.NaN
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += membersOf(item, depth + 1)
  else for (const key in value) count += membersUnder(key) + membersOf(value[key] ?? null, depth + 1)
  return count
}

const isAllowed = (value: Json) =>
  typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value)

const membersUnder = (key: string) => (key !== '__proto__' && isAllowed(key) ? 1 : Number.NaN)

interface Survey {
  problem: { pointer: string; message: string } | undefined
}

/** What is not allowed in a value that has something of the kind. */
function problemIn(value: Json): NonNullable<Survey['problem']> {
  const survey: Survey = { problem: undefined }
  walk(value, '', 0, survey)
  if (!survey.problem) throw new Error('what is not allowed was met and cannot be found')
  return survey.problem
}

function walk(value: Json, pointer: string, depth: number, survey: Survey): void {
  if (survey.problem) return
  if (typeof value === 'string') checkText(value, pointer, survey)
  if (value === Infinity || value === -Infinity)
    survey.problem = { pointer, message: 'must be a number of at most 1.8e308, or at least -1.8e308' }
  if (typeof value !== 'object' || value === null) return
  if (depth >= maxDepth) {
    survey.problem = { pointer, message: `must not be nested deeper than ${maxDepth} levels` }
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, `${pointer}/${index}`, depth + 1, survey)
  } else {
    walkMembers(value, pointer, depth, survey)
  }
}

function walkMembers(value: JsonObject, pointer: string, depth: number, survey: Survey): void {
  for (const key of Object.keys(value)) {
    const place = below(pointer, key)
    checkText(key, pointer, survey)
    if (key === '__proto__') survey.problem = { pointer: place, message: 'is not allowed as a member name' }
    else walk(value[key] ?? null, place, depth + 1, survey)
  }
}

function checkText(text: string, pointer: string, survey: Survey): void {
  if (!text.isWellFormed())
    survey.problem = { pointer, message: 'must be well-formed Unicode; it has half a surrogate pair' }
}

function countColons(text: string): number {
  return text.match(/"\s*:/g)?.length ?? 0
}

/** Members as written; more than the parsed value has means that a name came twice. */
function countWrittenMembers(text: string): number {
  let count = 0
  for (const token of structureOf(text)) if (token.startsWith('"')) count += 1
  return count
}

/** The first name that stands twice in one object; only called where there is one. */
function duplicate(text: string): ReadJson {
  const open: Set<string>[] = []
  for (const token of structureOf(text)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else {
      const name: string = JSON.parse(token)
      const names = open.at(-1)
      if (names?.has(name)) return no(`has the member ${JSON.stringify(name)} twice in one object`)
      names?.add(name)
    }
  }
  throw new Error('a repeated member was counted but cannot be found')
}

const colon = /\s*:/y

/** The braces of a JSON text and its members' names, these as they are written. Not one expression: long strings would overflow its stack. */
function* structureOf(text: string): Generator<string> {
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

/** Behind the closing quote of the string that opens here. */
function endOfString(text: string, opening: number): number {
  let quote = text.indexOf('"', opening + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
