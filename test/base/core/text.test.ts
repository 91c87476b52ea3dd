import { expect, test } from 'vitest'
import { describeKnown, findNearest, findSimilar } from '../../../src/base/core/text.ts'

const known = ['period', 'productId', 'externalConversationId', 'role', 'id']

test.each([
  ['periods', 'period'],
  ['peroid', 'period'],
  ['perod', 'period'],
  ['perixd', 'period'],
  ['Period', 'period'],
  ['productID', 'productId'],
  ['product_id', 'productId'],
  ['external-conversation-id', 'externalConversationId'],
  ['rule', 'role'],
  ['ids', undefined],
  ['perxxd', undefined],
  ['campaign', undefined],
  ['', undefined],
])('for %j, findSimilar returns %j', (name, similar) => {
  expect(findSimilar(name, known)).toBe(similar)
})

const scenarios = ['rate-limited', 'slow', 'hang', 'reset', 'server-error', 'null', 'no-null', '429']

test.each([
  ['rate-limit', 'rate-limited'],
  ['RateLimited', 'rate-limited'],
  ['rate', 'rate-limited'],
  ['slwo', 'slow'],
  ['Sevrer_Error', 'server-error'],
  ['sevrer_eror', undefined],
  ['nul', 'null'],
  ['hang', 'hang'],
  ['no', undefined],
  ['', undefined],
  ['timeout', undefined],
])('for %j, findNearest returns %j', (name, nearest) => {
  expect(findNearest(name, scenarios)).toBe(nearest)
})

test('a message suggests the nearest known name, then lists up to 20 names or says where to find all names', () => {
  const many = Array.from({ length: 30 }, (_, index) => `field${index}`)
  expect(describeKnown('slo', scenarios)).toBe(`Did you mean "slow"? Known: ${scenarios.join(', ')}.`)
  expect(describeKnown('x', [])).toBe('Known: none.')
  expect(describeKnown('x', many)).toMatch(/^Known: field0, .*field19 and 10 more\.$/)
  expect(describeKnown('x', many, 'GET / lists all.')).toBe('GET / lists all.')
})
