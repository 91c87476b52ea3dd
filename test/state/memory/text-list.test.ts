import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextList } from '../../../src/state/memory/text-list.ts'

function listOf(texts: readonly string[]): TextList {
  const list = new TextList()
  for (const text of texts) list.set(list.length, text)
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
      expect([...list]).toEqual(given)
      expect(given.map((_, position) => list.at(position))).toEqual(given)
      expect(list.at(given.length)).toBeUndefined()
    }),
    { numRuns: 50, examples: [[['x'.repeat(200_000), 'y', 'z'.repeat(200_000)]]] },
  )
})

test('a copy does not change with its original, nor that with the copy', () => {
  fc.assert(
    fc.property(texts, (given) => {
      const list = listOf(given)
      const copy = list.copy()
      list.set(list.length, 'a')
      copy.set(copy.length, 'b')
      expect([...copy]).toEqual([...given, 'b'])
      expect([...list]).toEqual([...given, 'a'])
    }),
    { numRuns: 30, examples: [[['a', 'b'.repeat(70_000)]]] },
  )
})

test('a replaced text changes neither the others nor a copy', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (given, at) => {
      const list = listOf(given)
      const copy = list.copy()
      const position = at % Math.max(1, given.length)
      list.set(position, 'other')
      expect([...list]).toEqual(given.length === 0 ? ['other'] : given.with(position, 'other'))
      expect([...copy]).toEqual(given)
    }),
    { numRuns: 30 },
  )
})

test.each([3000, 40_000])('texts of %i characters are outside of the heap, also those that were replaced', (length) => {
  setFlagsFromString('--expose-gc')
  const list = listOf(Array.from({ length: 2000 }, (_, index) => `${index}`.padEnd(length, 'text ')))
  for (let at = 0; at < 2000; at += 10) list.set(at, `other ${at}`.padEnd(length, 'text '))
  runInNewContext('gc')()
  const before = process.memoryUsage().heapUsed
  const strings = [...list] // 6 or 80 MB
  expect(process.memoryUsage().heapUsed - before).toBeGreaterThan(0.9 * strings.length * length)
})
