/**
 * Reads large JSON in slices, between which other requests are answered. 16 MB in one piece take 60 ms to parse, and 5 s to
 * check if they are empty lists.
 */
import type { Json, JsonObject } from './json.ts'
import { describeFault, describeSyntaxError, type Expected, step, type TextPosition } from './json-syntax.ts'
import { failure, type Result, success } from './result.ts'
import { SlicedWork } from './slices.ts'
import {
  checkCharacter,
  checkToken,
  decode,
  endOfToken,
  type JsonError,
  maxDepth,
  type OpenValue,
  pointerTo,
} from './strict-json.ts'

/** The most members and items in all. */
export const maxLargeValues = 2_000_000

/** The most members and items, and characters, of a record (an item of a list in the outermost object), and around lists. */
export const maxRecordValues = 40_000
export const maxRecordLength = 4 * 1024 * 1024

/** The most characters of a text or a number: one is read in one step. */
const maxTokenLength = 2 * 1024 * 1024

/** The characters after which the time is looked at. */
const stepLength = 4096

/** Parses JSON as strictly as `readJson`, with bounds for an object of long lists, in slices. */
export async function readLargeJson(bytes: Uint8Array): Promise<Result<Json, JsonError>> {
  const work = new SlicedWork()
  const text = decode(bytes)
  if (text === undefined) return failure({ pointer: '', message: 'must be UTF-8 text' })
  const reader = new LargeJsonReader(text)
  while (reader.at < text.length) {
    if (work.isDue) await work.rest()
    const error = reader.readTo(reader.at + stepLength)
    if (error) return failure(error)
  }
  return reader.finish()
}

class LargeJsonReader {
  readonly #text: string
  at = 0
  #value: Json = null
  #expected: Expected = 'value'
  /** The opening brackets of `#open`, as the grammar needs them. */
  readonly #brackets: string[] = []
  readonly #open: OpenValue[] = []
  readonly #containers: (Json[] | JsonObject)[] = []
  #values = 0
  #record = { from: 0, values: 0 }
  #line = { number: 1, from: 0 }

  constructor(text: string) {
    this.#text = text
  }

  /** Reads tokens until an index of the text. Returns the first thing that is refused. */
  readTo(index: number): JsonError | undefined {
    const end = Math.min(index, this.#text.length)
    while (this.at < end) {
      const error = this.#readNext(this.#text[this.at] ?? '') ?? this.#checkBounds()
      if (error) return error
    }
    return undefined
  }

  /** Returns the value, once the whole text is read. */
  finish(): Result<Json, JsonError> {
    return this.#expected === 'nothing' ? success(this.#value) : failure(this.#refuseSyntax())
  }

  #readNext(first: string): JsonError | undefined {
    if (isSpace(first)) {
      this.at += 1
      if (first === '\n') this.#line = { number: this.#line.number + 1, from: this.at }
      return undefined
    }
    const isName = this.#expected.startsWith('name')
    const next = step(this.#expected, first, this.#brackets)
    if (next === undefined) return this.#refuseSyntax()
    this.#expected = next
    return '{}[],:'.includes(first) ? this.#readCharacter(first) : this.#readScalar(first, isName)
  }

  #readCharacter(first: string): JsonError | undefined {
    this.at += 1
    if ('{[,'.includes(first)) this.#count()
    const container = first === '{' ? {} : first === '[' ? [] : undefined
    if (container) this.#add(container)
    const message = checkCharacter(first, this.#open)
    if (container) this.#containers.push(container)
    else if ('}]'.includes(first)) this.#containers.pop()
    return this.#refuse(message)
  }

  #readScalar(first: string, isName: boolean): JsonError | undefined {
    const window = this.#text.slice(this.at, this.at + maxTokenLength)
    const length = endOfToken(window, 0, first) || window.length
    if (length === maxTokenLength) return this.#refuse(`${tooMany} ${maxTokenLength} characters in a text`)
    const token = window.slice(0, length)
    const value = parseScalar(token)
    if (value === undefined) return refuseJson(describeSyntaxError(token, this.#position))
    const message = checkToken(token, this.#open)
    if (!isName) this.#add(value)
    this.at += length
    return this.#refuse(message)
  }

  /** Adds a value to the object or list that is open. The first value is the result. */
  #add(value: Json): void {
    const container = this.#containers.at(-1)
    const key = this.#open.at(-1)?.key ?? 0
    if (container)
      (container as Record<string | number, Json>)[key] = value // a name, or an index of a list
    else this.#value = value
  }

  #count(): void {
    this.#values += 1
    this.#record.values += 1
    const isBetweenRecords = this.#brackets.length === 2 && this.#brackets[1] === '['
    if (isBetweenRecords) this.#record = { from: this.at, values: 0 }
  }

  #checkBounds(): JsonError | undefined {
    const { from, values } = this.#record
    if (this.#values > maxLargeValues)
      return { pointer: '', message: `${tooMany} ${maxLargeValues} members and items in all` }
    if (values > maxRecordValues) return this.#refuse(`${tooMany} ${maxRecordValues} members and items`, 2)
    if (this.at - from > maxRecordLength) return this.#refuse(`${tooMany} ${maxRecordLength} characters`, 2)
    return undefined
  }

  /** Returns the refusal of the present value, or of what contains it down to a depth. */
  #refuse(message: string | undefined, depth = maxDepth): JsonError | undefined {
    return message === undefined ? undefined : { pointer: pointerTo(this.#open.slice(0, depth)), message }
  }

  /** Returns the refusal of the present character. */
  #refuseSyntax(): JsonError {
    const { from } = this.#line
    const start = { ...this.#position, column: 1 }
    return refuseJson(describeFault(this.#text.slice(from), this.at - from, this.#expected, start))
  }

  get #position(): TextPosition {
    return { line: this.#line.number, column: this.at - this.#line.from + 1 }
  }
}

const tooMany = 'must not have more than'

const refuseJson = (fault: string): JsonError => ({ pointer: '', message: `must be JSON: ${fault}` })

const isSpace = (character: string) => ' \n\r\t'.includes(character)

/** Parses a text, a number or a literal. Undefined: it is none. */
function parseScalar(token: string): Json | undefined {
  try {
    return JSON.parse(token) // a copy, so that no value holds the whole text in memory
  } catch {
    return undefined
  }
}
