import type { Json, JsonObject } from './json.ts'

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
  const survey: Survey = { members: 0, problem: undefined }
  walk(parsed.value, '', 0, survey)
  if (survey.problem) return { ok: false, ...survey.problem }
  if (survey.members !== countWrittenMembers(text)) return duplicate(text)
  return parsed
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

interface Survey {
  members: number
  problem: { pointer: string; message: string } | undefined
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
    const place = `${pointer}/${escapePointer(key)}`
    survey.members += 1
    checkText(key, pointer, survey)
    if (key === '__proto__') survey.problem = { pointer: place, message: 'is not allowed as a member name' }
    else walk(value[key] ?? null, place, depth + 1, survey)
  }
}

function checkText(text: string, pointer: string, survey: Survey): void {
  if (!text.isWellFormed())
    survey.problem = { pointer, message: 'must be well-formed Unicode; it has half a surrogate pair' }
}

/** A JSON string, and the colon that makes it a member's name. */
const stringAndColon = /"(?:[^"\\]|\\.)*"(\s*:)?/g

/** Members as written; more than the parsed value has means that a name came twice. */
function countWrittenMembers(text: string): number {
  let count = 0
  for (const match of text.matchAll(stringAndColon)) if (match[1]) count += 1
  return count
}

/** The first name that stands twice in one object; only called where there is one. */
function duplicate(text: string): ReadJson {
  const open: Set<string>[] = []
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g)) {
    const [token, colon] = match
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon) {
      const name: string = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1))
      const names = open.at(-1)
      if (names?.has(name)) return no(`has the member ${JSON.stringify(name)} twice in one object`)
      names?.add(name)
    }
  }
  throw new Error('a repeated member was counted but cannot be found')
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
