import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteRing } from '../../src/journal/byte-ring.ts'

/** Lengths on both sides of the limit for a copy and of a page's length, and 0. */
const lengths = fc.oneof(
  fc.nat({ max: 3000 }),
  fc.nat({ max: 40_000 }),
  fc.constantFrom(0, 131_071, 131_072, 200_000),
)

/** Computes the expected content in a simple way: the latest pieces that fit, undefined in place of the evicted ones. */
function expectedPieces(pieces: readonly string[], size: number, maxBytes: number) {
  let sum = 0
  let isEvicted = false
  return pieces
    .toReversed()
    .map((piece, age) => {
      sum += piece.length
      isEvicted ||= age >= size || sum > maxBytes
      return isEvicted ? undefined : piece
    })
    .reverse()
}

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

test('the ring stores the latest pieces unchanged, as many as its size and its bytes allow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 500_000 }),
      fc.array(fc.tuple(lengths, fc.boolean()), { maxLength: 200, size: 'max' }),
      (size, maxBytes, added) => {
        const ring = new ByteRing(size, maxBytes)
        const pieces = added.map(([length], n) => String.fromCharCode(n % 128).repeat(length)) // ASCII: each character is one byte
        for (const [n, piece] of pieces.entries()) {
          if (added[n]?.[1]) ring.addText(piece)
          else ring.add(Buffer.from(piece))
        }
        expect(pieces.map((_, n) => ring.textAt(n))).toEqual(expectedPieces(pieces, size, maxBytes))
        expect(pieces.map((_, n) => textOf(ring.at(n)))).toEqual(expectedPieces(pieces, size, maxBytes))
        expect(ring.at(pieces.length)).toBeUndefined()
      },
    ),
    { numRuns: 300 },
  )
})

test('a text of any characters is returned unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (texts) => {
      const ring = new ByteRing(texts.length)
      for (const text of texts) ring.addText(text)
      expect(texts.map((_, n) => ring.textAt(n))).toEqual(texts)
    }),
  )
})

test('a returned piece does not change when its page is written to again', () => {
  const ring = new ByteRing(2)
  ring.addText('first')
  const first = ring.at(0)
  for (let more = 0; more < 200; more += 1) ring.addText('x'.repeat(2000))
  expect(Buffer.from(first ?? []).toString()).toBe('first')
})

test('a large piece is copied only if it is a view of a larger buffer', () => {
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
