import { expect, test } from 'vitest'
import { fitJson, measureJson } from '../../src/core/fit-json.ts'
import type { Json } from '../../src/core/json.ts'

test.each<[Json, number, number]>([
  ['text', 0, 0],
  [[], 0, 1],
  [{ a: 1, b: [1, { c: 2 }] }, 5, 3],
])('%j has %i members in %i levels', (value, members, levels) => {
  expect(measureJson(value)).toEqual({ members, levels })
})

test('a value within the bound is returned itself', () => {
  const value = { a: [1, 2, { b: 3 }] }
  const fitted = fitJson(value, { members: 5, levels: 3 })
  expect(fitted.value).toBe(value)
  expect(fitted.cut.size).toBe(0)
})

test.each<[title: string, value: Json, members: number, expected: Json]>([
  [
    'the first items of a list, whole',
    [[1, 2, 3], [4, 5], [6]],
    7,
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ['a part of an item that is larger alone', [[1, 2, 3, 4]], 3, [[1, 2]]],
  ['all members, and of a large one the first items', { a: 1, b: [1, 2, 3, 4], c: 2 }, 5, { a: 1, b: [1, 2], c: 2 }],
  [
    'small members whole, and as much of each large one',
    { a: [1], b: [1, 2, 3], c: [1, 2, 3, 4] },
    8,
    { a: [1], b: [1, 2], c: [1, 2] },
  ],
  ['the first of too many members', { a: 1, b: 2, c: 3 }, 2, { a: 1, b: 2 }],
  ['room for what is in the first of too many members', { a: [1, 2, 3], b: 2, c: 3, d: 4 }, 4, { a: [1, 2], b: 2 }],
])('what fits is %s', (_title, value, members, expected) => {
  const fitted = fitJson(value, { members, levels: 64 })
  expect(fitted.value).toEqual(expected)
  expect(measureJson(fitted.value).members).toBeLessThanOrEqual(members)
  expect(fitted.size).toEqual(measureJson(value))
})

test('what lacks members is known with the whole value, and so is what is around it', () => {
  const value = { a: { b: [1, 2, 3] }, c: { d: 1 } }
  const { value: fitted, cut, around } = fitJson(value, { members: 6, levels: 64 })
  expect(fitted).toEqual({ a: { b: [1, 2] }, c: { d: 1 } })
  expect([...cut]).toEqual([
    [
      [1, 2],
      [1, 2, 3],
    ],
  ])
  expect([...around]).toEqual([[1, 2], { b: [1, 2] }, fitted])
})

test('a member called __proto__ stays a member', () => {
  const { value } = fitJson(JSON.parse('{"__proto__":{"a":1},"b":[1,2,3]}'), { members: 4, levels: 64 })
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"b":[1]}')
})

test('levels beyond the bound are left out, however many there are', () => {
  const deep: Json = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  const { value, size } = fitJson({ deep, flat: 1 }, { members: 500_000, levels: 3 })
  expect(value).toEqual({ deep: [[[]]], flat: 1 })
  expect(size).toEqual({ members: 100_001, levels: 100_001 })
})

test('names that are to come first do, in their place', () => {
  const value = { x1: 1, x2: 2, a: 3, x3: 4, b: [5, 6] }
  expect(fitJson(value, { members: 4, levels: 64 }, new Set(['a', 'b'])).value).toEqual({ a: 3, b: [5, 6] })
})
