import { expect, test } from 'vitest'
import { redactToken } from '../../src/redaction/redact-token.ts'
import { createTokenRedactor } from '../../src/redaction/redact-tokens.ts'

/** Tokens with characters that are escaped in a URL, in JSON and in a pointer, some of which begin alike. */
const tokens = Array.from({ length: 50 }, (_, index) => `to"k/~e%n\\${index}-${'x'.repeat(index % 7)}end`)
const redactMany = createTokenRedactor(new Set(tokens))

const forms: readonly ((token: string) => string)[] = [
  (token) => `before ${token} after`,
  (token) => `a=${encodeURIComponent(token)}&b`,
  (token) => JSON.stringify({ a: token }),
  (token) => JSON.stringify(JSON.stringify({ a: token })),
  (token) => `/a/${token.replaceAll('~', '~0').replaceAll('/', '~1')}/b`,
  (token) => `got "${token.slice(0, -4)}\u2026" there`,
  (token) => `got "...${token.slice(5)}" there`,
]

test.each(forms.map((form) => [form('TOKEN'), form]))('many tokens are redacted in %s', (_title, form) => {
  for (const token of tokens) {
    const clean = redactMany(form(token))
    expect(clean).toContain('[redacted]')
    expect(clean).not.toContain(token.slice(3, -5))
  }
})

test('a text without tokens stays as it is, as it does for each of them', () => {
  const text = 'to be or not to be... that is "the" question %20 \\ ~0 \u2026 end'
  expect(redactMany(text)).toBe(text)
  expect(tokens.reduce(redactToken, text)).toBe(text)
})

test('of tokens that begin alike the longest is redacted', () => {
  const alike = createTokenRedactor(new Set(['abcdefgh', 'abcdefghij', 'abcdefghijkl', 'bcdefghi1', 'cdefghij2']))
  expect(alike('-abcdefghijk-abcdefghijkl-abcdefgh-')).toBe('-[redacted]k-[redacted]-[redacted]-')
})
