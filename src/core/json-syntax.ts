/**
 * The next thing that JSON's grammar demands. Node's own messages differ between its versions, and some name no place, so the
 * refusal of a body is made here; it is needed only for text that `JSON.parse` refused.
 */
export type Expected = keyof typeof descriptions

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

/** A position in a text, as editors count it: from 1 on. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/**
 * Returns what is wrong with a text that is not JSON: `line 1, column 8 has "}", where a value is expected`. `start`: the position of
 * the text's first character in its file.
 */
export function describeSyntaxError(text: string, start: TextPosition = { line: 1, column: 1 }): string {
  const { at, expected } = findSyntaxError(text)
  return describeFault(text, at, expected, start)
}

/** Returns the index of the first character that is not JSON, which is the length of the text if it ends too early. */
function findSyntaxError(text: string): { readonly at: number; readonly expected: Expected } {
  const open: string[] = []
  let expected: Expected = 'value'
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const end = endOfToken(text, at)
    if (typeof end !== 'number') return { at: end.errorAt, expected: 'string' }
    const next: Expected | undefined = end === at ? undefined : step(expected, text[at] ?? '', open)
    if (next === undefined) return { at, expected }
    expected = next
    at = skipSpace(text, end)
  }
  return { at: text.length, expected }
}

/** Returns what is wrong with a text whose character at an index is not the expected one. */
export function describeFault(text: string, at: number, expected: Expected, start: TextPosition): string {
  const character = characterAt(text, at)
  const { line, column } = positionOf(text, at, start)
  const place = `line ${line}, column ${column}`
  if (character === undefined) return `it ends at ${place}, where ${descriptions[expected]} is expected`
  return `${place} has ${JSON.stringify(character)}, where ${descriptions[expected]} is expected`
}

/** A fault of a text: the index of its first character, and the end of a sentence about it. */
export interface SyntaxFault {
  readonly at: number
  readonly message: string
}

/** Returns the index of the first character of a text that is not JSON, and a message for it: `is not JSON: it has "}" here, where a value is expected`. */
export function locateSyntaxError(text: string): SyntaxFault {
  const { at, expected } = findSyntaxError(text)
  const character = characterAt(text, at)
  const found = character === undefined ? 'ends here' : `has ${JSON.stringify(character)} here`
  return { at, message: `is not JSON: it ${found}, where ${descriptions[expected]} is expected` }
}

/** Returns the whole character at an index; undefined at the end. */
function characterAt(text: string, at: number): string | undefined {
  const found = text.slice(at, at + 2)
  return found.isWellFormed() ? [...found][0] : found[0]
}

function positionOf(text: string, at: number, start: TextPosition): TextPosition {
  const lines = text.slice(0, at).split('\n')
  const before = lines.at(-1)?.length ?? 0
  return { line: start.line + lines.length - 1, column: before + (lines.length === 1 ? start.column : 1) }
}

/** The effect of a token: the next expectation, or a value that opens, closes or ends. */
type Step = Expected | 'open' | 'close' | 'value ends'

const valueSteps = { '{': 'open', '[': 'open', '"': 'value ends', '0': 'value ends' } as const

/** The steps of JSON's grammar by expectation and first character of the token; `0` stands for a number or a literal. */
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

/** Returns the expectation after a token; undefined for a token that was not expected. Keeps `open` up to date. */
export function step(expected: Expected, first: string, open: string[]): Expected | undefined {
  const next = steps[expected]['{}[],:"'.includes(first) ? first : '0']
  if (next === 'open') {
    open.push(first)
    return first === '{' ? 'name or end' : 'value or end'
  }
  if (next === 'close') open.pop()
  return next === 'close' || next === 'value ends' ? afterValue(open) : next
}

function afterValue(open: readonly string[]): Expected {
  if (open.length === 0) return 'nothing'
  return open.at(-1) === '{' ? 'comma or }' : 'comma or ]'
}

const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const skipSpace = (text: string, at: number) => at + matchLength(space, text, at)

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** Returns the index after the token at an index; the index itself if no token begins there. */
function endOfToken(text: string, at: number): number | { readonly errorAt: number } {
  const first = text[at] ?? ''
  if (first === '"') return endOfString(text, at)
  return '{}[],:'.includes(first) ? at + 1 : at + matchLength(scalar, text, at)
}

const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Returns the index after the closing quote of a string, or the index of the character that no string can have. */
function endOfString(text: string, opening: number): number | { readonly errorAt: number } {
  for (let at = opening + 1; at < text.length; ) {
    const character = text[at] ?? ''
    if (character === '"') return at + 1
    const length = character === '\\' ? matchLength(escapes, text, at) : Number(character >= ' ')
    if (length === 0) return { errorAt: at }
    at += length
  }
  return { errorAt: text.length }
}
