import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteRing } from '../../src/journal/byte-ring.ts'

/** Lengths on both sides of what is copied into a page, of what fits into one, and none at all. */
const lengths = fc.oneof(
  fc.nat({ max: 3000 }),
  fc.nat({ max: 40_000 }),
  fc.constantFrom(0, 131_071, 131_072, 200_000),
)

/** The plain way: those from the end on that fit, undefined in place of the others. */
function held(pieces: readonly string[], size: number, room: number) {
  let sum = 0
  let isGone = false
  return pieces
    .toReversed()
    .map((piece, age) => {
      sum += piece.length
      isGone ||= age >= size || sum > room
      return isGone ? undefined : piece
    })
    .reverse()
}

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

test('holds the latest pieces, as many as fit its size and its room, each as it came', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 500_000 }),
      fc.array(fc.tuple(lengths, fc.boolean()), { maxLength: 200, size: 'max' }),
      (size, room, added) => {
        const ring = new ByteRing(size, room)
        const pieces = added.map(([length], n) => String.fromCharCode(n % 128).repeat(length)) // ASCII: a letter is a byte
        for (const [n, piece] of pieces.entries()) {
          if (added[n]?.[1]) ring.addText(piece)
          else ring.add(Buffer.from(piece))
        }
        expect(pieces.map((_, n) => ring.textAt(n))).toEqual(held(pieces, size, room))
        expect(pieces.map((_, n) => textOf(ring.at(n)))).toEqual(held(pieces, size, room))
        expect(ring.at(pieces.length)).toBeUndefined()
      },
    ),
    { numRuns: 300 },
  )
})

test('a text comes back as it was, whatever letters it has', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (texts) => {
      const ring = new ByteRing(texts.length)
      for (const text of texts) ring.addText(text)
      expect(texts.map((_, n) => ring.textAt(n))).toEqual(texts)
    }),
  )
})

test('what was given out stays as it was, though its place is written to again', () => {
  const ring = new ByteRing(2)
  ring.addText('first')
  const first = ring.at(0)
  for (let more = 0; more < 200; more += 1) ring.addText('x'.repeat(2000))
  expect(Buffer.from(first ?? []).toString()).toBe('first')
})

test('a large piece is not copied, but for one that holds on to more than itself', () => {
  const ring = new ByteRing(3)
  const alone = new Uint8Array(5000).fill(1)
  const part = new Uint8Array(16_384).fill(2).subarray(0, 5000)
  ring.add(alone)
  ring.add(part)
  expect(ring.at(0)).toBe(alone)
  expect(ring.at(1)).toEqual(new Uint8Array(5000).fill(2))
  part.fill(3)
  expect(ring.at(1)).toEqual(new Uint8Array(5000).fill(2))
})
