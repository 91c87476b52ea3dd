import { expect, test } from 'vitest'
import { type Json, measureJson } from '../../../src/base/core/json.ts'

test.each<[Json, number, number]>([
  ['text', 0, 0],
  [[], 0, 1],
  [{ a: 1, b: [1, { c: 2 }] }, 5, 3],
])('%j has %i members in %i levels', (value, members, levels) => {
  expect(measureJson(value)).toEqual({ members, levels })
})

test('the levels of very deep JSON are counted', () => {
  const deep: Json = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(measureJson(deep)).toEqual({ members: 99_999, levels: 100_000 })
})
