import { isObject, type Json } from '../../../base/core/json.ts'
import { redactJson } from '../../../base/redaction/redact.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'

/** The names of members whose texts are quotes of what users wrote. */
const quoteNames = new Set(['exampleSnippets'])

/** The forms of what identifies people, each with the text that replaces it. An address stays an address. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w/g, 'redacted@example.com'],
  [/(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/g, '192.0.2.1'],
  [/(?<!\w)\+\d[\d ()/-]{6,20}\d(?!\d)/g, redacted],
]

/**
 * Redacts credentials, e-mail addresses, IPv4 addresses and international telephone numbers in all texts of a value,
 * and whole texts that quote users. `changes` is the number of changed texts.
 */
export function redactPeople(value: Json): { readonly value: Json; readonly changes: number } {
  let changes = 0
  const visit = (item: Json, isQuote: boolean): Json => {
    if (typeof item === 'string') {
      const clean = isQuote
        ? redacted
        : forms.reduce((text, [form, replacement]) => text.replace(form, replacement), item)
      if (clean !== item) changes += 1
      return clean
    }
    if (Array.isArray(item)) return item.map((one) => visit(one, isQuote))
    if (!isObject(item)) return item
    return Object.fromEntries(
      Object.entries(item).map(([name, member]) => [name, visit(member, isQuote || quoteNames.has(name))]),
    )
  }
  const clean = visit(value, false)
  const withoutTokens = redactJson(clean)
  if (JSON.stringify(withoutTokens) !== JSON.stringify(clean)) changes += 1
  return { value: withoutTokens, changes }
}
