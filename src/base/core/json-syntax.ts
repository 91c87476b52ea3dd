import type { Json } from './json.ts'

/** The next thing that JSON's grammar demands. */
type Expected = keyof typeof descriptions

const descriptions = {
  value: 'a value',
  'value or end': 'a value or "]"',
  name: 'a name in double quotes',
  'name or end': 'a name in double quotes or "}"',
  colon: '":"',
  'comma or }': '"," or "}"',
  'comma or ]': '"," or "]"',
  nothing: 'nothing more',
  string: 'a string in double quotes, with escapes such as \\n',
} as const

/** The effect of a token: the next expectation, or a value that opens, closes or ends. */
type Step = Expected | 'open' | 'close' | 'value ends'

const valueSteps = { '{': 'open', '[': 'open', '"': 'value ends', '0': 'value ends' } as const

/** The steps of JSON's grammar by expectation and first character; `0` stands for a number or a literal. */
const steps: Readonly<Record<Expected, Readonly<Record<string, Step>>>> = {
  value: valueSteps,
  'value or end': { ...valueSteps, ']': 'close' },
  name: { '"': 'colon' },
  'name or end': { '"': 'colon', '}': 'close' },
  colon: { ':': 'value' },
  'comma or }': { ',': 'name', '}': 'close' },
  'comma or ]': { ',': 'value', ']': 'close' },
  nothing: {},
  string: {},
}

/** White space is read in steps, between which a reader of large JSON can rest. */
const space = /[ \t\n\r]{1,65536}/y
const plainString = /"[ !#-[\]-\uffff]*"/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Returns the index after the match of a sticky pattern at an index; the index itself if there is none. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The tokens of JSON in turn, up to the first that the grammar does not allow. */
export class JsonTokens {
  readonly #text: string
  readonly #maxLength: number
  /** The index behind the last token; after the last one, that of the first character that is not JSON. */
  at = 0
  expected: Expected = 'value'
  /** The opening brackets around the present place. */
  readonly brackets: string[] = []
  /** The first character of the last token. */
  first = ''
  /** The value of the last string, number or literal. */
  value: Json = null
  /** True if the next token is longer than allowed. */
  isTooLong = false

  /** @param maxLength the most characters of a token */
  constructor(text: string, maxLength = Number.POSITIVE_INFINITY) {
    this.#text = text
    this.#maxLength = maxLength
  }

  /** True once the text was read as a whole, and is JSON. */
  get isComplete(): boolean {
    return this.expected === 'nothing' && this.at === this.#text.length
  }

  /** Reads the next token, or a step of long white space with `first` a space. Returns false if there is none. */
  next(): boolean {
    const begin = this.at
    if (this.#text.charCodeAt(begin) <= 32) this.at = endOfMatch(space, this.#text, begin)
    const first = this.#text[this.at] ?? ' '
    if (this.at > begin && first <= ' ' && this.at < this.#text.length) {
      this.first = ' '
      return true
    }
    const isScalar = !'{}[],:'.includes(first)
    const step = steps[this.expected][isScalar && first !== '"' ? '0' : first]
    if (step === undefined || (isScalar && !this.#readScalar(first === '"'))) return false
    this.first = first
    if (!isScalar) this.at += 1
    if (step === 'open') this.brackets.push(first)
    if (step === 'close') this.brackets.pop()
    this.expected = this.#follow(step, first)
    return true
  }

  #follow(step: Step, first: string): Expected {
    if (step === 'open') return first === '{' ? 'name or end' : 'value or end'
    if (step !== 'close' && step !== 'value ends') return step
    if (this.brackets.length === 0) return 'nothing'
    return this.brackets.at(-1) === '{' ? 'comma or }' : 'comma or ]'
  }

  #readScalar(isString: boolean): boolean {
    const start = this.at
    // Longer tokens are not searched for their end, which would take 100 ms in 64 MB.
    const text = this.#text.slice(start, start + this.#maxLength + 1)
    const endOfPlain = endOfMatch(isString ? plainString : scalar, text, 0)
    const length = endOfPlain > 0 || !isString ? endOfPlain : endOfString(text, 0) || text.length
    this.isTooLong = length > this.#maxLength
    if (this.isTooLong) return false
    try {
      // A name is copied as it is set. A value is copied here, so that it does not hold the whole text in memory.
      const isPlainName = length === endOfPlain && this.expected.startsWith('name')
      this.value = isPlainName ? text.slice(1, length - 1) : JSON.parse(text.slice(0, length))
    } catch {
      if (isString) Object.assign(this, { at: start + findStringFault(text, 0), expected: 'string' })
      return false
    }
    this.at += length
    return true
  }
}

/** Returns the index of the first character that a string cannot have, or the text's length for an endless string. */
function findStringFault(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; ) {
    const character = text[at] ?? ''
    const end = character === '\\' ? endOfMatch(escapes, text, at) : at + Number(character >= ' ')
    if (end === at) return at
    at = end
  }
  return text.length
}

/** Returns the index after the closing quote, or 0. A regular expression would overflow its stack. */
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

/** Removes the white space between the tokens of valid JSON; all else stays as it is spelled. */
export function compactJson(text: string): string {
  let compact = ''
  for (let at = 0; at < text.length; ) {
    const opening = text.indexOf('"', at)
    compact += text.slice(at, opening < 0 ? text.length : opening).replace(/\s/g, '')
    if (opening < 0) break
    at = endOfString(text, opening) || text.length
    compact += text.slice(opening, at)
  }
  return compact
}

/** A position in a text, as editors count it: from 1 on. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** A fault of a text: the index of its first character, and the end of a sentence about it. */
export interface SyntaxFault {
  readonly at: number
  readonly message: string
}

/** Returns the first fault of a text that is not JSON. Node's own messages differ between its versions. */
export function locateSyntaxError(text: string): SyntaxFault {
  const { at, expected } = readToFault(text)
  const character = characterAt(text, at)
  const found = character === undefined ? 'ends here' : `has ${JSON.stringify(character)} here`
  return { at, message: `is not JSON: it ${found}, where ${descriptions[expected]} is expected` }
}

/** The most characters before a fault whose lines are counted, which takes a millisecond. */
const maxCounted = 1024 * 1024

/**
 * Returns what is wrong with a text that is not JSON: `line 1, column 8 has "}", where a value is expected`. After the
 * first 1,048,576 characters it names the character by its number.
 * @param start the position of the text's first character in its file
 * @param tokens the tokens of the text up to the fault, if they were read already
 */
export function describeSyntaxError(
  text: string,
  start: TextPosition = { line: 1, column: 1 },
  { at, expected } = readToFault(text),
): string {
  const place = at > maxCounted ? `character ${at + 1}` : describePosition(text, at, start)
  const character = characterAt(text, at)
  if (character === undefined) return `it ends at ${place}, where ${descriptions[expected]} is expected`
  return `${place} has ${JSON.stringify(character)}, where ${descriptions[expected]} is expected`
}

function describePosition(text: string, at: number, start: TextPosition): string {
  let { line, column } = start
  for (let index = 0; index < at; index += 1) {
    column += 1
    if (text[index] === '\n') [line, column] = [line + 1, 1]
  }
  return `line ${line}, column ${column}`
}

function readToFault(text: string): JsonTokens {
  const tokens = new JsonTokens(text)
  while (tokens.next());
  return tokens
}

/** Returns the whole character at an index; undefined at the end. */
function characterAt(text: string, at: number): string | undefined {
  const found = text.slice(at, at + 2)
  return found.isWellFormed() ? [...found][0] : found[0]
}
