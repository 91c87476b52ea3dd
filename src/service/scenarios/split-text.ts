import { failure, type Result, success } from '../../base/core/result.ts'
import { cutText } from '../../base/core/text.ts'

/** The names that messages use for the separators in a scenario's text, and for the parts between them. */
const partNames = {
  ',': { part: 'item', separator: 'comma' },
  ';': { part: 'parameter', separator: 'semicolon' },
} as const

/** Splits text at separators outside quotes (`\"` does not close a quote). Rejects empty parts and unclosed quotes. */
export function splitParts(text: string, separator: keyof typeof partNames): Result<string[]> {
  if (text.trim() === '') return success([])
  const { parts, isQuoteOpen } = split(text, separator)
  if (isQuoteOpen) return failure(`A quotation mark in "${cutText(text)}" is not closed.`)
  if (!parts.includes('')) return success(parts)
  const names = partNames[separator]
  return failure(`"${cutText(text)}" has an empty ${names.part}. Remove the extra ${names.separator}.`)
}

/** Splits text at separators outside quotes and drops empty parts, as HTTP requires for lists in headers. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  return split(text, separator).parts.filter((part) => part !== '')
}

function split(text: string, separator: string): { parts: string[]; isQuoteOpen: boolean } {
  const parts: string[] = ['']
  let [isQuoteOpen, isEscaped] = [false, false]
  for (const character of text) {
    if (character === '"' && !isEscaped) isQuoteOpen = !isQuoteOpen
    isEscaped = isQuoteOpen && character === '\\' && !isEscaped
    if (character === separator && !isQuoteOpen) parts.push('')
    else parts[parts.length - 1] += character
  }
  return { parts: parts.map((part) => part.trim()), isQuoteOpen }
}

/** Splits `name = "value"` at the first `=` and removes the quotes. Without `=`, the value is empty. */
export function splitPair(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  return at < 0
    ? { name: text.trim(), value: '' }
    : { name: text.slice(0, at).trim(), value: unquote(text.slice(at + 1).trim()) }
}

function unquote(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"')
  return isQuoted ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
}
