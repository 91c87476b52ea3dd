import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxDepth } from '../../../src/base/core/json-syntax.ts'
import { maxValues, readJson } from '../../../src/base/core/strict-json.ts'

const read = (text: string) => readJson(new TextEncoder().encode(text))

const refusal = (pointer: string, message: RegExp) => {
  return { ok: false, error: { pointer, message: expect.stringMatching(message) } }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('readJson reads what JSON.stringify produces, but refuses members named __proto__', () => {
  const values = fc.jsonValue({ maxDepth: 8, stringUnit: 'grapheme' })
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value)
      const outcome = read(text)
      const isRefused = /"__proto__":/.test(text)
      expect(outcome.ok).toBe(!isRefused)
      if (outcome.ok) expect(outcome.value).toEqual(JSON.parse(text))
      // Leading whitespace forces `readJson` to read token by token.
      expect(read(` ${text}`)).toEqual(outcome)
    }),
    { numRuns: 500 },
  )
})

test('readJson counts each member and item once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('"__proto__":'))
      const bytes = new TextEncoder().encode(text)
      const count = countValues(value)
      const isOverLimit = (outcome: ReturnType<typeof readJson>) =>
        !outcome.ok && outcome.error.message.includes('members and items')
      expect(isOverLimit(readJson(bytes, count))).toBe(false)
      if (count > 0) expect(isOverLimit(readJson(bytes, count - 1))).toBe(true)
    }),
  )
})

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const items = Object.values(value)
  return items.length + items.reduce((sum: number, item) => sum + countValues(item), 0)
}

test('readJson never throws, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(typeof readJson(bytes).ok).toBe('boolean')
    }),
    { numRuns: 500 },
  )
})

describe('readJson accepts', () => {
  test.each([
    ['a leading byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['surrounding whitespace', ' \r\n\t{"a":1}\n ', { a: 1 }],
    ['400,000 characters of whitespace', `{"a":${' '.repeat(200_000)}1}${'\n'.repeat(200_000)}`, { a: 1 }],
    ['a string with braces and colons', '{"a":"{\\"b\\":1,\\"b\\":2}"}', { a: '{"b":1,"b":2}' }],
    ['a string that ends in a backslash', '{"a":"\\\\","b":":"}', { a: '\\', b: ':' }],
    ['whitespace before a colon', '{"a" \n : 1}', { a: 1 }],
    ['the same name in different objects', '[{"a":1},{"a":2},{"b":{"a":3}}]', [{ a: 1 }, { a: 2 }, { b: { a: 3 } }]],
    ['the same name at several levels', '{"a":{"a":{"a":1}}}', { a: { a: { a: 1 } } }],
    ['an empty name', '{"":1}', { '': 1 }],
    ['a surrogate pair', '"\\ud83d\\ude00"', '😀'],
    ['names that all objects inherit', '{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
    ['the largest number', '1.7976931348623157e308', Number.MAX_VALUE],
    ['a number that rounds to zero', '1e-400', 0],
  ])('%s', (_name, text, value) => {
    expect(read(text)).toEqual({ ok: true, value })
  })

  test('nesting to the maximum depth', () => {
    expect(read(nested(maxDepth)).ok).toBe(true)
  })
})

describe('readJson refuses, with a JSON Pointer in the error,', () => {
  test.each([
    ['empty text', '', '', /must be JSON/],
    ['broken JSON', '{"a":1,}', '', /must be JSON: line 1, column 8/],
    ['a duplicate name', '{"a":1,"a":1}', '', /has the member "a" twice/],
    ['a duplicate name that is escaped', '{"a":1,"\\u0061":1}', '', /has the member "a" twice/],
    ['a duplicate name with a colon', '{"a:":1,"a:":1}', '', /has the member "a:" twice/],
    ['a duplicate empty name', '{"":1,"":2}', '', /has the member "" twice/],
    ['a duplicate name after a nested object', '{"a":1,"b":{"c":2},"a":3}', '', /has the member "a" twice/],
    ['a duplicate name with quotes and backslashes', '{"a\\"\\\\":1,"a\\"\\\\":2}', '', /twice/],
    ['a duplicate name in an object within a list', '[[{"x":1,"y":2,"x":3}]]', '', /has the member "x" twice/],
    ['a member named __proto__', '{"a":[{"__proto__":1}]}', '/a/0/__proto__', /is not allowed/],
    ['a member whose escaped name is __proto__', '{"__pr\\u006fto__":1}', '/__proto__', /is not allowed/],
    ['an unpaired surrogate', '{"a":["\\ud800"]}', '/a/0', /surrogate/],
    ['an unpaired surrogate in a name', '{"a":{"\\udfff":1}}', '/a', /surrogate/],
    ['a positive number out of range', '{"a":[1,1e309]}', '/a/1', /number/],
    ['a negative number out of range', '{"a":-1e309}', '/a', /number/],
    ['a number out of range, under names with a slash and a tilde', '{"a/b":{"c~d":1e999}}', '/a~1b/c~0d', /number/],
  ])('%s', (_name, text, pointer, message) => {
    expect(read(text)).toEqual(refusal(pointer, message))
  })

  test('nesting that is too deep, by one level or by many', () => {
    const tooDeep = 'must not be nested deeper than 64 levels'
    for (const depth of [maxDepth + 1, 1_000_000])
      expect(read(nested(depth))).toMatchObject({ ok: false, error: { message: expect.stringContaining(tooDeep) } })
  })

  test('bytes that are not UTF-8', () => {
    expect(readJson(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))).toEqual(refusal('', /^must be UTF-8 text$/))
  })
})

describe('a large body', () => {
  test.each([
    ['a single string', JSON.stringify({ value: 'x'.repeat(1_000_000) })],
    ['escapes', JSON.stringify({ value: '"\\'.repeat(250_000) })],
    ['a 20 MB string', JSON.stringify({ value: 'x'.repeat(20_000_000) })],
    ['20 MB of escapes', JSON.stringify({ value: '\n'.repeat(10_000_000) })],
    ['20 MB of backslashes', JSON.stringify({ value: '\\'.repeat(10_000_000) })],
    ['members', JSON.stringify({ ...new Array(maxValues - 1).fill(1) })],
    ['items', JSON.stringify(new Array(maxValues).fill(1))],
    ['a string that looks like items', JSON.stringify([',[{"'.repeat(maxValues)])],
  ])('of %s is read', (_name, text) => {
    expect(read(text).ok).toBe(true)
  })

  test.each([
    ['items', JSON.stringify(new Array(maxValues + 1).fill(1))],
    ['items in nested lists', JSON.stringify(Array.from({ length: maxValues / 2 + 1 }, () => [1]))],
    ['members in two objects', JSON.stringify([1, 2].map(() => ({ ...new Array(maxValues / 2).fill(1) })))],
  ])('with too many %s is refused, unless the caller allows more', (_name, text) => {
    expect(read(text)).toEqual(refusal('', new RegExp(`more than ${maxValues} members and items`)))
    expect(readJson(new TextEncoder().encode(text), 2 * maxValues).ok).toBe(true)
  })

  test('that repeats a name at its end is refused', () => {
    const many = Array.from({ length: maxValues - 100 }, (_, n) => `"member ${n}":${n}`).join(',')
    expect(read(`{"first":0,${many},"first":1}`)).toMatchObject({ ok: false })
  })
})
