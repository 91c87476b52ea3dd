import { type Flaw, type Json, type JsonObject, parseJson } from './json.ts'
import { joinPointer } from './json-pointer.ts'
import { failure, type Result, success } from './result.ts'

/** The maximum number of nesting levels. With deeper nesting, recursive functions could overflow the stack. */
export const maxDepth = 64

/** The maximum sizes of a record, which is an item of a list in the root object plus the text up to the next item. */
export const maxRecordValues = 40_000
export const maxRecordLength = 4 * 1024 * 1024

/** The maximum length of a string or number in large JSON. `read` cannot yield within a string or number. */
const maxTokenLength = 2 * 1024 * 1024

/** The character codes of whitespace in JSON: space, tab, line feed and carriage return. */
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const stringPart = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

class JsonRefusal extends Error {}

/** Reads JSON, strictly if `maxValues` is finite. `isLarge` limits records and tokens, and makes `read` yield. */
export class JsonReader {
  readonly #text: string
  readonly #maxValues: number
  readonly #isLarge: boolean
  #path: (string | number)[] = []
  #values = 0
  /** The index at which the current record begins, and the number of members and items before it. */
  #record = { at: 0, values: 0 }
  /** The index of the next token, or of a syntax error, and what is expected there. */
  at = 0
  expected = 'nothing more'

  constructor(text: string, maxValues = Number.POSITIVE_INFINITY, isLarge = false) {
    this.#text = text
    this.#maxValues = maxValues
    this.#isLarge = isLarge
  }

  /** Returns the value or the first error. In large JSON, yields before each value. */
  *read(): Generator<undefined, Result<Json, Flaw>> {
    try {
      this.#skip(0)
      const value = yield* this.#readValue('a value')
      if (this.at < this.#text.length) this.#refuseSyntax('nothing more')
      return success(value)
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error
      return failure({ pointer: joinPointer('', ...this.#path), message: error.message })
    }
  }

  *#readValue(expected: string): Generator<undefined, Json> {
    if (this.#isLarge) yield
    const first = this.#text[this.at]
    if (first !== '{' && first !== '[') return this.#readScalar(expected)
    if (this.#path.length === maxDepth) this.#refuse(`must not be nested deeper than ${maxDepth} levels`)
    if (this.#path.length === 1000) this.#refuseSyntax('a value without deeper nesting') // protects the stack
    this.#skip(1)
    return yield* this.#readContents(first === '{' ? {} : [])
  }

  *#readContents(container: JsonObject | Json[]): Generator<undefined, Json> {
    const isList = Array.isArray(container)
    const end = isList ? ']' : '}'
    if (this.#take(end)) return container
    let orEnd = ` or "${end}"`
    do {
      this.#enter(isList ? container.length : this.#readName(container, `a name in double quotes${orEnd}`))
      const value = yield* this.#readValue(isList ? `a value${orEnd}` : 'a value')
      const key = this.#path.pop()
      if (isList) container.push(value)
      else container[String(key)] = value
      orEnd = ''
    } while (this.#take(','))
    if (!this.#take(end)) this.#refuseSyntax(`"," or "${end}"`)
    return container
  }

  #readName(members: JsonObject, expected: string): string {
    if (this.#text[this.at] !== '"') this.#refuseSyntax(expected)
    const name = String(this.#readScalar(expected))
    // The path of a repeated name is ambiguous, so the error is about the whole text.
    if (Object.hasOwn(members, name)) this.#refuse(`has the member ${JSON.stringify(name)} twice in one object`, [])
    if (name === '__proto__') this.#refuse('is not allowed as a member name', [...this.#path, name])
    if (!this.#take(':')) this.#refuseSyntax('":"')
    return name
  }

  #readScalar(expected: string): Json {
    const isString = this.#text[this.at] === '"'
    // In large JSON, searches for the end of the token only up to the limit, since searching 16 MB takes 100 ms.
    const text = this.#isLarge ? this.#text.slice(this.at, this.at + maxTokenLength + 1) : this.#text.slice(this.at)
    const length = isString ? endOfString(text, 0) || text.length : endOfMatch(scalar, text, 0)
    if (this.#isLarge && length > maxTokenLength) this.#refuse(`must not have more than ${maxTokenLength} characters`)
    const value = parseJson(text.slice(0, length))
    if (value === undefined) return isString ? this.#refuseString() : this.#refuseSyntax(expected)
    // Only an escape can produce an unpaired surrogate, because the text itself is valid UTF-8.
    if (typeof value === 'string' && !value.isWellFormed())
      this.#refuse('must be well-formed Unicode, without unpaired surrogates')
    if (typeof value === 'number' && !Number.isFinite(value)) this.#refuse('must be a number from -1.8e308 to 1.8e308')
    this.#skip(length)
    return value
  }

  #take(mark: string): boolean {
    const isNext = this.#text[this.at] === mark
    if (isNext) this.#skip(1)
    return isNext
  }

  #skip(length: number): void {
    this.at += length
    // A regular expression would save each position for backtracking, and could overflow its stack.
    while (spaces.has(this.#text.charCodeAt(this.at))) this.at += 1
    this.#boundRecord(this.at - this.#record.at, maxRecordLength, 'characters')
  }

  #enter(key: string | number): void {
    if (typeof key === 'number' && this.#path.length === 1) this.#record = { at: this.at, values: this.#values }
    this.#path.push(key)
    this.#values += 1
    const remedy = this.#isLarge ? '' : '; send fewer in one request'
    if (this.#values > this.#maxValues)
      this.#refuse(`must not have more than ${this.#maxValues} members and items in total${remedy}`, [])
    this.#boundRecord(this.#values - this.#record.values, maxRecordValues, 'members and items')
  }

  #boundRecord(count: number, max: number, unit: string): void {
    if (this.#isLarge && count > max) this.#refuse(`must not have more than ${max} ${unit}`, this.#path.slice(0, 2))
  }

  /** Refuses valid JSON that strict readers do not accept. Does nothing if the reader is not strict. */
  #refuse(message: string, path = this.#path): void {
    if (this.#maxValues === Number.POSITIVE_INFINITY) return
    this.#path = path
    throw new JsonRefusal(message)
  }

  #refuseSyntax(expected: string): never {
    this.expected = expected
    this.#path = []
    throw new JsonRefusal(`must be JSON: ${describeSyntaxError(this.#text, 1, this)}`)
  }

  #refuseString(): never {
    const partEnd = () => endOfMatch(stringPart, this.#text, this.at)
    for (this.at += 1; partEnd() > this.at; ) this.at = partEnd()
    this.#refuseSyntax('a closing double quote or a valid escape (such as \\n)')
  }
}

export function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Returns the index after the closing quote, or 0 if there is none. A regular expression could overflow its stack. */
export function endOfString(text: string, opening: number): number {
  for (let quote = text.indexOf('"', opening + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    const isEscaped = (quote - before) % 2 === 0
    if (!isEscaped) return quote + 1
  }
  return 0
}

/** Finds the first syntax error in text that is not JSON. Node's own messages differ between Node versions. */
export function findSyntaxError(text: string): Pick<JsonReader, 'at' | 'expected'> {
  const reader = new JsonReader(text)
  reader.read().next() // runs to the end, since `read` yields only in large JSON
  return reader
}

/** The number of leading characters in which lines are counted, so that counting takes only a few milliseconds. */
const maxCounted = 1024 * 1024

/**
 * Describes the first syntax error in text: `line 1, column 8 has "}", where a value is expected`. Beyond the first
 * 1,048,576 characters, the position is a character number instead of a line and a column.
 * @param firstLine the number of the text's first line in its file
 */
export function describeSyntaxError(text: string, firstLine = 1, { at, expected } = findSyntaxError(text)): string {
  const before = text.slice(0, Math.min(at, maxCounted))
  const line = firstLine + before.split('\n').length - 1
  const position = at > maxCounted ? `character ${at + 1}` : `line ${line}, column ${at - before.lastIndexOf('\n')}`
  const found = at === text.length ? `it ends at ${position}` : `${position} has ${quoteCharacter(text, at)}`
  return `${found}, where ${expected} is expected`
}

export const quoteCharacter = (text: string, at: number): string =>
  JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
