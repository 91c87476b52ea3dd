import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isSameJson, type Json } from '../../../src/base/core/json.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

test('two values are the same where their canonical texts are', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
      expect(isSameJson(one, JSON.parse(JSON.stringify(one)))).toBe(true)
      expect(isSameJson({ a: one, b: other }, { b: other, a: one })).toBe(true)
      expect(isSameJson(one, undefined)).toBe(false)
    }),
  )
})
