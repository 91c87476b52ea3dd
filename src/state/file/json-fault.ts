/** The kind of token that may come next in a JSON text. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end'

const SPACE = /[ \t\n\r]*/y
const KEY = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Finds the place where a text stops being JSON, counted from 1, since errors of `JSON.parse` do not always name a place.
 * The place of a text that is cut off is its end. The content of strings is not checked.
 */
export function jsonFault(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultOffset(text))
  const lastBreak = before.lastIndexOf('\n')
  return { line: before.split('\n').length, column: before.length - lastBreak }
}

function faultOffset(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let offset = skip(SPACE, text, 0)
  while (offset < text.length) {
    const step = advance(text, offset, expected, open)
    if (step === undefined) return offset
    expected = step.expected
    offset = skip(SPACE, text, step.offset)
  }
  return offset
}

interface Advance {
  readonly offset: number
  readonly expected: Expected
}

/** Reads one token. Undefined: the text has no token here that is expected. */
function advance(text: string, offset: number, expected: Expected, open: string[]): Advance | undefined {
  const sign = text.charAt(offset)
  const next = offset + 1
  if (expected === ':') return sign === ':' ? { offset: next, expected: 'value' } : undefined
  if (expected === ', or end') return afterValue(sign, next, open)
  if (sign === '}' && expected === 'key or }') return closed(next, open)
  if (sign === ']' && expected === 'value or ]') return closed(next, open)
  if (expected === 'key' || expected === 'key or }') {
    const end = skip(KEY, text, offset)
    return end === offset ? undefined : { offset: end, expected: ':' }
  }
  return beginValue(text, offset, open)
}

function beginValue(text: string, offset: number, open: string[]): Advance | undefined {
  const sign = text.charAt(offset)
  if (sign === '{' || sign === '[') {
    open.push(sign)
    return { offset: offset + 1, expected: sign === '{' ? 'key or }' : 'value or ]' }
  }
  const end = skip(SCALAR, text, offset)
  return end === offset ? undefined : { offset: end, expected: ', or end' }
}

function afterValue(sign: string, offset: number, open: string[]): Advance | undefined {
  const inside = open.at(-1)
  if (sign === ',' && inside !== undefined) return { offset, expected: inside === '{' ? 'key' : 'value' }
  const closes = (sign === '}' && inside === '{') || (sign === ']' && inside === '[')
  return closes ? closed(offset, open) : undefined
}

function closed(offset: number, open: string[]): Advance {
  open.pop()
  return { offset, expected: ', or end' }
}

/** Returns the offset behind a match at `offset`, or `offset` if the pattern does not match. */
function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : offset
}
