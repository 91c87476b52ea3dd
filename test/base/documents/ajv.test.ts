import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { createAjv } from '../../../src/base/documents/ajv.ts'
import { MAX_ERRORS } from '../../../src/base/documents/violations.ts'

const $defs = {
  text: { type: 'string' },
  choice: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
  tree: {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  },
}

const compile = (schema: JsonObject) => createAjv(() => undefined).compile({ $defs, ...schema })

const wrongItems: Json = new Array(450_000).fill(1)
const wrongMembers: Json = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, 1]))

const treeOf = (depth: number): Json => ({
  name: 1,
  children: depth === 0 ? [] : Array.from({ length: 20 }, () => treeOf(depth - 1)),
})

test.each<[string, JsonObject, Json]>([
  ['items with a referenced schema', { items: { $ref: '#/$defs/text' } }, wrongItems],
  ['items', { items: { type: 'string' } }, wrongItems],
  ['items after a prefix', { prefixItems: [{ type: 'number' }], items: false }, wrongItems],
  ['items with a choice of types', { items: { $ref: '#/$defs/choice' } }, wrongItems],
  ['unevaluated items', { unevaluatedItems: { $ref: '#/$defs/text' } }, wrongItems],
  ['items searched by `contains`', { contains: { $ref: '#/$defs/text' } }, wrongItems],
  ['members', { additionalProperties: { $ref: '#/$defs/text' } }, wrongMembers],
  ['members that are not allowed', { additionalProperties: false }, wrongMembers],
  ['members that match a pattern', { patternProperties: { m: { $ref: '#/$defs/text' } } }, wrongMembers],
  ['unevaluated members', { unevaluatedProperties: false }, wrongMembers],
  ['member names', { propertyNames: { $ref: '#/$defs/tree' } }, wrongMembers],
  ['a tree', { $ref: '#/$defs/tree' }, treeOf(3)],
  ['lists of lists', { items: { items: { $ref: '#/$defs/text' } } }, [[...(wrongItems as Json[])]]],
])('the number of errors does not grow with the size of the value: %s', (_name, schema, value) => {
  const validate = compile(schema)
  expect(validate(value)).toBe(false)
  expect(validate.errors?.length).toBeLessThanOrEqual(3 * MAX_ERRORS)
})

test('`contains` finds a matching item after many items that do not match or only partly match', () => {
  const lists = [...new Array(300).fill([1]), ['a']]
  expect(compile({ contains: { $ref: '#/$defs/text' } })([...new Array(300).fill(1), 'a'])).toBe(true)
  expect(compile({ contains: { items: { $ref: '#/$defs/text' } } })(lists)).toBe(true)
  expect(compile({ contains: { items: { $ref: '#/$defs/text' } } })(lists.slice(0, -1))).toBe(false)
})

const schemas = fc.letrec<{ schema: JsonObject }>((tie) => {
  const inner = tie('schema')
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonObject>(
        { type: 'string' },
        { $ref: '#/$defs/text' },
        { const: 1 },
        { $ref: '#/$defs/choice' },
      ),
      inner.map((items): JsonObject => ({ items })),
      inner.map((contains): JsonObject => ({ contains, maxContains: 150 })),
      inner.map((additionalProperties): JsonObject => ({ additionalProperties })),
      inner.map((not): JsonObject => ({ not })),
      fc.tuple(inner, inner).map((anyOf): JsonObject => ({ anyOf })),
      fc.tuple(inner, inner).map((oneOf): JsonObject => ({ oneOf })),
      fc.tuple(inner, inner).map(([one, other]): JsonObject => ({ if: one, else: other })),
      inner.map((unevaluatedItems): JsonObject => ({ anyOf: [{ prefixItems: [{ const: 1 }] }, {}], unevaluatedItems })),
    ),
  }
}).schema

const leaf = fc.constantFrom<Json>(1, 'a', null, 2)
const list = (item: fc.Arbitrary<Json>) =>
  fc
    .tuple(item, item, fc.integer({ min: 0, max: 220 }))
    .map(([many, last, length]): Json => [...new Array(length).fill(many), last])
const values = fc.oneof(leaf, list(leaf), list(list(leaf)))

test('the limit on errors does not change which values are valid', () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      // Without `allErrors`, ajv stops at the first error, so the limit has no effect.
      const unlimited = createAjv(() => undefined, { allErrors: false }).compile({ $defs, ...schema })
      expect(compile(schema)(value)).toBe(unlimited(value))
    }),
    { numRuns: 60 },
  )
})
