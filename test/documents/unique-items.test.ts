import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { isSameJson } from '../../src/core/same-json.ts'
import { compileSchema } from '../../src/documents/schema.ts'

const check = compileSchema({ type: 'array', uniqueItems: true }, 'a test')

test('the first item that repeats another one is named', () => {
  expect(check([1, { a: [1], b: 2 }, { b: 2, a: [1] }])).toMatchObject([
    { pointer: '', keyword: 'uniqueItems', message: 'must not hold anything twice; items 1 and 2 are the same' },
  ])
})

test('a list is accepted where no two of its items are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 2 })), (list) => {
      const items = JSON.parse(JSON.stringify(list)) as Json[]
      const hasRepeated = items.some((item, at) => items.slice(0, at).some((other) => isSameJson(other, item)))
      expect(check(items).length > 0).toBe(hasRepeated)
    }),
  )
})
