import { expect, test } from 'vitest'
import { findSimilar } from '../../src/core/similar.ts'

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
])('%j probably means %j', (name, similar) => {
  expect(findSimilar(name, known)).toBe(similar)
})
