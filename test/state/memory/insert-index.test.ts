import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InsertIndex } from '../../../src/state/memory/insert-index.ts'

/** Few distinct hashes, so that many events share a hash, a slot or neighbouring slots. Undefined: no `insertId`. */
const hash = fc.option(fc.constantFrom(0, 1, 2, 62, 63, 64, 127, 128, -1, -64, 0x7fffffff, -0x80000000), {
  nil: undefined,
})

/** Hashes of events to add, enough for the table to grow, and the number of events to remove after them. */
const round = fc.tuple(fc.array(hash, { maxLength: 100, size: 'max' }), fc.nat({ max: 100 }))

test('the index finds every event by the hash of its insertId, whatever was added and removed before', () => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 4 }), (rounds) => {
      const events: (number | undefined)[] = []
      const index = new InsertIndex((position) => events[position])
      for (const [added, removed] of rounds) {
        for (const hash of added) index.add(events.push(hash) - 1)
        for (let left = Math.min(removed, events.length); left > 0; left -= 1) {
          index.removeLast(events.length - 1)
          events.pop()
        }
      }
      for (const hash of new Set(events.filter((each) => each !== undefined))) {
        const positions = events.flatMap((each, position) => (each === hash ? [position] : []))
        expect([...index.candidates(hash)].sort((a, b) => a - b)).toEqual(positions)
      }
      expect([...index.candidates(3)]).toEqual([])
    }),
  )
})
