/**
 * `base/core/`: small utilities without domain logic or I/O. This file defines the types `Json` and `Violation`, which
 * most folders use.
 */

/** A value that JSON can encode, such as a body, a document or a fixture. */
export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Formats a value as compact JSON, with members sorted by code unit. Omits members that `isOmitted` accepts. */
export function canonicalJson(value: Json, isOmitted?: (name: string, value: Json) => boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, isOmitted)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members: string[] = []
  for (const name of Object.keys(value).sort()) {
    const inner = value[name] ?? null
    if (!isOmitted?.(name, inner)) members.push(`${JSON.stringify(name)}:${canonicalJson(inner, isOmitted)}`)
  }
  return `{${members.join(',')}}`
}

/** The member counts of compared objects, cached because one body is compared with the values of many rules. */
const memberCounts = new WeakMap<JsonObject, number>()

/** Compares JSON, ignoring member order. Apart from counting members, the running time depends only on `expected`. */
export function isSameJson(expected: Json, actual: Json | undefined): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false
    return expected.every((item, index) => isSameJson(item, actual[index]))
  }
  if (!isObject(expected)) return expected === actual
  if (!isObject(actual)) return false
  const members = Object.entries(expected)
  return (
    members.every(([name, value]) => Object.hasOwn(actual, name) && isSameJson(value, actual[name])) &&
    members.length === countMembers(actual)
  )
}

function countMembers(object: JsonObject): number {
  const known = memberCounts.get(object)
  if (known !== undefined) return known
  const count = Object.keys(object).length
  memberCounts.set(object, count)
  return count
}

const isContainer = (value: Json): value is Json[] | JsonObject => typeof value === 'object' && value !== null

/** Counts the members and items at all levels, and the levels of nesting: 0 for a string, 1 for `{}`. */
export function measureJson(root: Json) {
  let members = 0
  let levels = 0
  for (let level = [root].filter(isContainer); level.length > 0; levels += 1) {
    members += level.reduce((sum, container) => sum + Object.keys(container).length, 0)
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return { members, levels }
}

/** Returns how many more members and items a value can have; negative if it has too many or is nested too deeply. */
export function membersLeft(value: Json, members: number, levels: number): number {
  if (!isContainer(value)) return members
  const items = Object.values(value)
  if (levels === 0) return -1
  let left = members - items.length
  for (const item of items) if (left >= 0) left = membersLeft(item, left, levels - 1)
  return left
}

function isRecordList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  if (Array.isArray(value)) return isObject(value[0])
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
}

/** Yields the JSON of a value in pieces, splitting lists of objects. Lists can be iterables, which are read lazily. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  if (isRecordList(value)) yield* piecesOfList(value)
  else if (isObject(value) && Object.values(value).some(isRecordList)) yield* piecesOfObject(value)
  else yield JSON.stringify(value)
}

async function* piecesOfList(list: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = ''
  yield '['
  for await (const item of list) {
    yield separator
    yield* jsonPieces(item)
    separator = ','
  }
  yield ']'
}

async function* piecesOfObject(object: { readonly [name: string]: unknown }): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(member)
    separator = ','
  }
  yield '}'
}

/** The part of an HTTP exchange in which a rule of the contract was broken. */
export type ExchangePart = 'path' | 'query' | 'header' | 'body' | 'response'

export interface Violation {
  readonly in: ExchangePart
  /** The JSON Pointer in this part: `/components/0/content`, or `/period` for a parameter; empty for the whole part. */
  readonly pointer: string
  /**
   * The broken rule: a JSON Schema keyword (`required`, `enum`, ...) or a name for another rule, such as `media-type`.
   * `more` means that the check stopped early because too many rules were broken.
   */
  readonly keyword: string
  /** A sentence without its subject: `must be one of "7d", "30d", "90d"; got "14d"`. */
  readonly message: string
}

export interface Flaw {
  readonly pointer: string
  /** A sentence without its subject, which is the value at the pointer. */
  readonly message: string
}
