import { type Json, type JsonObject, parseJson } from './json.ts'

/** The deepest accepted nesting, in levels, which saves the stack of functions that recurse into values. */
export const maxDepth = 64

/** The most members and items, and characters, of a record (an item of an outermost list), and around lists. */
export const maxRecordValues = 40_000
export const maxRecordLength = 4 * 1024 * 1024

/** The most characters of a text or a number in large JSON: one is read in one step. */
const maxTokenLength = 2 * 1024 * 1024

/** The characters after which a reader of large JSON can rest. */
const stepLength = 4096

/** The levels in which the fault of a text that is not JSON is searched. */
const maxSearchedDepth = 1000

const tooMany = 'must not have more than'

const notSpace = /[^ \t\n\r]/g
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const stringPart = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Says why a text is refused: in a sentence without its subject, which is the value at the path. */
export class JsonRefusal extends Error {
  readonly path: readonly (string | number)[]

  constructor(message: string, path: readonly (string | number)[] = []) {
    super(message)
    this.path = path
  }
}

/**
 * Reads JSON strictly. The generators yield where the reader of large JSON can rest, and throw a `JsonRefusal`. Without
 * `maxValues` nothing is refused but what is not JSON; `isLarge` adds the bounds of records and tokens.
 */
export class JsonReader {
  readonly #text: string
  readonly #isStrict: boolean
  readonly #maxValues: number
  readonly #isLarge: boolean
  /** The names and indexes that lead to the present value. */
  readonly #path: (string | number)[] = []
  #values = 0
  #record = { from: 0, values: 0 }
  #nextRest = stepLength
  /** The index of the next token, or of the first character that is not JSON. */
  at = 0
  expected = 'nothing more'

  constructor(text: string, maxValues?: number, isLarge = false) {
    this.#text = text
    this.#isStrict = maxValues !== undefined
    this.#maxValues = maxValues ?? Number.POSITIVE_INFINITY
    this.#isLarge = isLarge
  }

  *read(): Generator<undefined, Json> {
    this.#skip(0)
    const value = yield* this.#readValue('a value')
    if (this.at < this.#text.length) this.#refuseSyntax('nothing more')
    return value
  }

  *#readValue(expected: string): Generator<undefined, Json> {
    if (this.at > this.#nextRest) {
      yield
      this.#nextRest = this.at + stepLength
    }
    const first = this.#text[this.at]
    if (first !== '{' && first !== '[') return this.#readScalar(expected)
    if (this.#isStrict && this.#path.length === maxDepth)
      this.#refuse(`must not be nested deeper than ${maxDepth} levels`)
    if (this.#path.length === maxSearchedDepth) this.#refuseSyntax('less nesting')
    this.#skip(1)
    this.#count(first === '[')
    return yield* first === '{' ? this.#readMembers() : this.#readItems()
  }

  *#readItems(): Generator<undefined, Json> {
    const items: Json[] = []
    if (this.#take(']')) return items
    do {
      if (items.length > 0) this.#count(true)
      this.#path.push(items.length)
      items.push(yield* this.#readValue(items.length > 0 ? 'a value' : 'a value or "]"'))
      this.#path.pop()
    } while (this.#take(','))
    if (!this.#take(']')) this.#refuseSyntax('"," or "]"')
    return items
  }

  *#readMembers(): Generator<undefined, Json> {
    const members: JsonObject = {}
    if (this.#take('}')) return members
    for (let expected = 'a name in double quotes or "}"'; ; expected = 'a name in double quotes') {
      const name = this.#readName(members, expected)
      this.#path.push(name)
      members[name] = yield* this.#readValue('a value')
      this.#path.pop()
      if (!this.#take(',')) break
      this.#count(false)
    }
    if (!this.#take('}')) this.#refuseSyntax('"," or "}"')
    return members
  }

  /** Reads a name and its colon. */
  #readName(members: JsonObject, expected: string): string {
    if (this.#text[this.at] !== '"') this.#refuseSyntax(expected)
    const name = String(this.#readScalar(expected))
    // The place of a repeated name is ambiguous: the error is about the whole text.
    if (this.#isStrict && Object.hasOwn(members, name))
      throw new JsonRefusal(`has the member ${JSON.stringify(name)} twice in one object`)
    if (this.#isStrict && name === '__proto__')
      throw new JsonRefusal('is not allowed as a member name', [...this.#path, name])
    if (!this.#take(':')) this.#refuseSyntax('":"')
    return name
  }

  #readScalar(expected: string): Json {
    const isString = this.#text[this.at] === '"'
    const maxLength = this.#isLarge ? maxTokenLength : Number.POSITIVE_INFINITY
    // A longer token is not searched for its end, which would take 100 ms in 64 MB.
    const text = this.#text.slice(this.at, this.at + maxLength + 1)
    const length = isString ? endOfString(text, 0) || text.length : endOfMatch(scalar, text, 0)
    if (length > maxLength) this.#refuse(`${tooMany} ${maxLength} characters in a text`)
    const value = parseJson(text.slice(0, length))
    if (value === undefined) return isString ? this.#refuseString() : this.#refuseSyntax(expected)
    // Only an escape can write half a surrogate pair: the text itself is UTF-8.
    if (this.#isStrict && typeof value === 'string' && !value.isWellFormed())
      this.#refuse('must be well-formed Unicode; it has half a surrogate pair')
    if (this.#isStrict && typeof value === 'number' && !Number.isFinite(value))
      this.#refuse('must be a number of at most 1.8e308, or at least -1.8e308')
    this.#skip(length)
    return value
  }

  /** Skips a mark if it comes next. Returns true if it did. */
  #take(mark: string): boolean {
    const isNext = this.#text[this.at] === mark
    if (isNext) this.#skip(1)
    return isNext
  }

  #skip(length: number): void {
    this.at += length
    if (this.#text.charCodeAt(this.at) <= 32) {
      notSpace.lastIndex = this.at
      this.at = notSpace.test(this.#text) ? notSpace.lastIndex - 1 : this.#text.length
    }
    if (this.#isLarge && this.at - this.#record.from > maxRecordLength)
      this.#refuse(`${tooMany} ${maxRecordLength} characters`, 2)
  }

  /** Counts a member or item; in an outermost list it begins a record. */
  #count(isInList: boolean): void {
    this.#values += 1
    this.#record.values += 1
    if (isInList && this.#path.length === 1) this.#record = { from: this.at, values: 0 }
    if (this.#values > this.#maxValues) {
      const remedy = this.#isLarge ? '' : '; send less in one request'
      throw new JsonRefusal(`${tooMany} ${this.#maxValues} members and items in all${remedy}`)
    }
    if (this.#isLarge && this.#record.values > maxRecordValues)
      this.#refuse(`${tooMany} ${maxRecordValues} members and items`, 2)
  }

  /** Refuses the present value, or what contains it at a depth. */
  #refuse(message: string, depth?: number): never {
    throw new JsonRefusal(message, this.#path.slice(0, depth))
  }

  #refuseSyntax(expected: string): never {
    this.expected = expected
    throw new JsonRefusal(`must be JSON: ${describeFault(this.#text, this)}`)
  }

  #refuseString(): never {
    let end = this.at + 1
    do {
      this.at = end
      end = endOfMatch(stringPart, this.#text, end)
    } while (end > this.at)
    this.#refuseSyntax('a string in double quotes, with escapes such as \\n')
  }
}

/** Returns the index after the match of a sticky pattern at an index; the index itself if there is none. */
export function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Returns the index after the closing quote, or 0. A regular expression would overflow its stack. */
export function endOfString(text: string, opening: number): number {
  for (let quote = text.indexOf('"', opening + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    const isEscaped = (quote - before) % 2 === 0
    if (!isEscaped) return quote + 1
  }
  return 0
}

/** The index of the first character that is not JSON, and what is expected there. */
type SyntaxFault = Pick<JsonReader, 'at' | 'expected'>

/** Finds the first fault of a text that is not JSON. Node's own messages differ between its versions. */
export function findSyntaxFault(text: string): SyntaxFault {
  const reader = new JsonReader(text)
  try {
    for (const _ of reader.read());
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error
  }
  return reader
}

/**
 * Returns what is wrong with a text that is not JSON: `line 1, column 8 has "}", where a value is expected`. After the
 * first 1,048,576 characters it names the character by its number.
 * @param firstLine the number of the text's first line in its file
 */
export function describeSyntaxError(text: string, firstLine = 1): string {
  return describeFault(text, findSyntaxFault(text), firstLine)
}

/** The most characters before a fault whose lines are counted, which takes some milliseconds. */
const maxCounted = 1024 * 1024

function describeFault(text: string, { at, expected }: SyntaxFault, firstLine = 1): string {
  const before = text.slice(0, Math.min(at, maxCounted))
  const line = firstLine + before.split('\n').length - 1
  const place = at > maxCounted ? `character ${at + 1}` : `line ${line}, column ${at - before.lastIndexOf('\n')}`
  const found = at === text.length ? `it ends at ${place}` : `${place} has ${quoteCharacter(text, at)}`
  return `${found}, where ${expected} is expected`
}

/** Returns the whole character at an index, in quotes. */
export const quoteCharacter = (text: string, at: number): string =>
  JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
