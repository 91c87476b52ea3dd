import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { loadSchema } from '../../../src/base/documents/load-schema.ts'

/** Returns each violation as `pointer: message`. */
async function findViolations(schema: JsonObject, value: Json): Promise<string[]> {
  const check = await loadSchema({ schema, name: 'a test' })
  return check(value).map(({ pointer, message }) => `${pointer}: ${message}`)
}

const text = { type: 'string' }

test.each<[JsonObject, Json, string]>([
  [text, 149, ': must be a string; got 149 (a number)'],
  [text, true, ': must be a string; got true (a boolean)'],
  [text, null, ': must be a string; got null'],
  [text, [1, 2, 3], ': must be a string; got an array of 3 items'],
  [text, [], ': must be a string; got an empty array'],
  [text, {}, ': must be a string; got an object'],
  [{ type: 'integer' }, 1.5, ': must be an integer; got 1.5 (a number)'],
  [{ type: ['object', 'null'] }, 'x', ': must be an object or null; got "x" (a string)'],
  [{ enum: ['7d', '30d'] }, '14d', ': must be one of "7d", "30d"; got "14d"'],
  [{ enum: ['7d'] }, '14d', ': must be "7d"; got "14d"'],
  [{ const: false }, true, ': must be false; got true'],
  [{ ...text, format: 'uuid' }, 'abc', ': must be a UUID such as "4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34"; got "abc"'],
  [{ type: 'string', format: 'ipv4' }, 'abc', ': must be in the format "ipv4"; got "abc"'],
  [{ type: 'string', pattern: '^a$' }, 'b', ': must match the pattern ^a$; got "b"'],
  [{ type: 'string', minLength: 1 }, '', ': must have at least 1 character; got ""'],
  [{ type: 'string', maxLength: 2 }, '😀😀😀', ': must have at most 2 characters; got 3: "😀😀😀"'],
  [{ type: 'array', minItems: 1 }, [], ': must have at least 1 item; got 0'],
  [{ type: 'array', maxItems: 1 }, [1, 2], ': must have at most 1 item; got 2'],
  [{ type: 'array', uniqueItems: true }, [1, 2, 1], ': must not contain duplicates; items 0 and 2 are the same'],
  [{ type: 'array', contains: { const: 1 } }, [2], ': must have at least 1 item matching the schema in "contains"'],
  [
    { type: 'array', contains: { const: 1 }, minContains: 0, maxContains: 1 },
    [1, 1],
    ': must have at most 1 item matching the schema in "contains"',
  ],
  [
    { type: 'array', contains: { const: 1 }, maxContains: 1 },
    [1, 1],
    ': must have exactly 1 item matching the schema in "contains"',
  ],
  [{ type: 'object', minProperties: 2 }, {}, ': must have at least 2 properties; got 0'],
  [{ type: 'number', minimum: -1, maximum: 1 }, 1.5, ': must be from -1 to 1; got 1.5'],
  [{ type: 'number', minimum: -1, maximum: 1 }, -2, ': must be from -1 to 1; got -2'],
  [{ type: 'number', minimum: 0 }, -2, ': must be at least 0; got -2'],
  [{ type: 'number', maximum: 0 }, 2, ': must be at most 0; got 2'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, ': must be more than 0; got 0'],
  [{ type: 'number', multipleOf: 5 }, 7, ': must be a multiple of 5; got 7'],
  [{ type: 'object', required: ['a/b'] }, {}, '/a~1b: is required'],
  [{ type: 'object', additionalProperties: false }, { a: 1 }, '/a: is not allowed here'],
  [{ type: 'object', properties: { a: false } }, { a: 1 }, '/a: is not allowed here'],
  [{ type: 'object', propertyNames: { pattern: '^a' } }, { b: 1 }, ': must not have a property called "b"'],
  [{ anyOf: [text, { type: 'number' }] }, true, ': must match at least one of the alternatives; got true'],
  [{ oneOf: [text, { ...text, minLength: 1 }] }, 'x', ': must match exactly one of the alternatives; got "x"'],
  [{ anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] }, 'x', ': must have at least 2 characters; got "x"'],
  [
    { ...text, if: { ...text, pattern: '^a' }, else: { ...text, minLength: 2 } },
    'b',
    ': must have at least 2 characters; got "b"',
  ],
  [{ not: text }, 'x', ': must not match the schema in "not"; got "x"'],
])('the schema %j rejects %j with a message that says what is wrong', async (schema, value, expected) => {
  const found = await findViolations(schema, value)
  // A failed `propertyNames` also reports the pattern that the member's name does not match.
  expect(found.filter((line) => !line.includes('must match the pattern ^a; '))).toEqual([expected])
})

test('a pointer contains array indexes and escaped member names', async () => {
  const schema = { type: 'object', properties: { 'a/b': { type: 'array', items: text } } }
  expect(await findViolations(schema, { 'a/b': ['x', 1] })).toEqual(['/a~1b/1: must be a string; got 1 (a number)'])
})

test('a message truncates a long string and does not list the alternatives of a failed anyOf', async () => {
  expect(await findViolations({ enum: ['a'] }, 'x'.repeat(1000))).toEqual([`: must be "a"; got "${'x'.repeat(60)}…"`])
  const schema = {
    type: 'object',
    properties: { a: text, b: { anyOf: [{ type: 'object', required: ['c'] }, { type: 'number' }] } },
  }
  expect(await findViolations(schema, { a: 1, b: {} })).toEqual([
    '/a: must be a string; got 1 (a number)',
    '/b: must match at least one of the alternatives; got an object',
  ])
})

test('a pointer with a long member name is truncated', async () => {
  const schema = { type: 'object', additionalProperties: { type: 'array', items: text } }
  const [sentence = ''] = await findViolations(schema, { ['x'.repeat(100_000)]: [0] })
  expect(sentence.length).toBeLessThan(600)
})

test('messages are short and pointers are well-formed for any value', async () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string', maxLength: 3, format: 'uuid' } },
    additionalProperties: { type: 'number' },
  }
  const check = await loadSchema({ schema, name: 'a test' })
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // fast-check generates JSON, but declares a looser type.
      for (const { pointer, message } of check(value as Json)) {
        expect(message.length).toBeLessThan(600)
        expect(pointer === '' || pointer.startsWith('/')).toBe(true)
      }
    }),
  )
})
