import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isSameJson, type Json, jsonPieces, measureJson } from '../../../src/base/core/json.ts'

test.each<[Json, number, number]>([
  ['text', 0, 0],
  [[], 0, 1],
  [{ a: 1, b: [1, { c: 2 }] }, 5, 3],
])('in %j, the number of members and items is %i, and the number of levels is %i', (value, members, levels) => {
  expect(measureJson(value)).toEqual({ members, levels })
})

test('the levels of very deeply nested JSON are counted', () => {
  const deep: Json = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(measureJson(deep)).toEqual({ members: 99_999, levels: 100_000 })
})

async function piecesOf(value: unknown): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return pieces
}

test('joining the pieces of a value yields its JSON', async () => {
  const c = fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
  const records = fc.array(fc.record({ a: fc.jsonValue(), b: fc.constant(undefined), c }))
  const value = fc.oneof(fc.jsonValue(), records, fc.record({ records, other: fc.jsonValue() }))
  await fc.assert(
    fc.asyncProperty(value, async (json) => {
      expect((await piecesOf(json)).join('')).toBe(JSON.stringify(json))
    }),
    { numRuns: 100 },
  )
})

test('in an export, each event and each prompt version is a separate piece', async () => {
  const events = [{ fields: { a: [1, 2] } }, { fields: {} }]
  const prompts = [{ promptId: 'p', versions: [{ fields: { components: [{ content: 'c' }] } }, { fields: {} }] }]
  const pieces = await piecesOf({ format: 1, events, prompts })
  for (const record of [...events, ...(prompts[0]?.versions ?? [])]) expect(pieces).toContain(JSON.stringify(record))
})

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

test('two values are the same JSON if and only if their canonical forms are identical', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
      expect(isSameJson(one, JSON.parse(JSON.stringify(one)))).toBe(true)
      expect(isSameJson({ a: one, b: other }, { b: other, a: one })).toBe(true)
      expect(isSameJson(one, undefined)).toBe(false)
    }),
  )
})
