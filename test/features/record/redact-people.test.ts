import { expect, test } from 'vitest'
import { redactPersonalData } from '../../../src/features/record/collect-responses.ts'

test.each([
  ['an email address', 'ask jane.doe+x@mail.customer.co.uk now', 'ask redacted@example.com now'],
  ['an IPv4 address', 'from 203.0.113.77.', 'from 192.0.2.1.'],
  ['an international telephone number', 'call +49 (170) 123-4567!', 'call [redacted]!'],
  ['a token', 'key sk_live_12345678abcdef', 'key [redacted]'],
  ['a bearer token', 'Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
])('%s in a nested string is redacted', (_name, text, expected) => {
  expect(redactPersonalData({ deep: [{ text }] })).toEqual({ value: { deep: [{ text: expected }] }, changes: 1 })
})

test('quotes from users are redacted completely, and other values are kept', () => {
  const rest = { id: '4f7c2a1e', score: 7.5, date: '2026-01-15T00:00:00.000Z' }
  const withQuote = (quote: string) => ({ ...rest, evidence: { exampleSnippets: [quote] } })
  expect(redactPersonalData(withQuote('I am Jane'))).toEqual({ value: withQuote('[redacted]'), changes: 1 })
})
