import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextList } from '../../../src/state/memory/text-list.ts'

function listOf(texts: readonly string[]): TextList {
  const list = new TextList()
  for (const text of texts) list.push(text)
  return list
}

/** Texts of which some are longer than a block. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.integer({ min: 60_000, max: 140_000 }).map((length) => 'x'.repeat(length)),
  ),
  { maxLength: 200 },
)

test('a list of texts returns each text at its position and all in their order, also those longer than a block', () => {
  fc.assert(
    fc.property(texts, (given) => {
      const list = listOf(given)
      expect(list.length).toBe(given.length)
      expect([...list.from(0)]).toEqual(given)
      expect([...list.from(given.length >> 1)]).toEqual(given.slice(given.length >> 1))
      expect(given.map((_, position) => list.at(position))).toEqual(given)
      expect(list.at(given.length)).toBeUndefined()
    }),
    { numRuns: 50, examples: [[['x'.repeat(200_000), 'y', 'z'.repeat(200_000)]]] },
  )
})

test('a copy does not change with its original, which begins with it as long as the copy stays', () => {
  fc.assert(
    fc.property(texts, fc.nat(200), (given, count) => {
      const list = listOf(given)
      const copy = list.copy()
      for (let index = 0; index < count; index += 1) list.push(`a${index}`)
      expect(list.beginsWith(copy)).toBe(true)
      expect(copy.beginsWith(list)).toBe(count === 0)
      copy.push('b')
      expect([...copy.from(0)]).toEqual([...given, 'b'])
      expect(list.length).toBe(given.length + count)
      expect(list.beginsWith(copy)).toBe(false)
    }),
    { numRuns: 30 },
  )
})
