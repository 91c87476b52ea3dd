import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InsertIndex } from '../../../src/state/memory/insert-index.ts'

/** Few enough that many are the same, and their slots neighbours or the same ones; undefined: no name. */
const hash = fc.option(fc.constantFrom(0, 1, 2, 62, 63, 64, 127, 128, -1, -64, 0x7fffffff, -0x80000000), {
  nil: undefined,
})

/** So many that the table grows, and how many of the last go after them. */
const step = fc.tuple(fc.array(hash, { maxLength: 100, size: 'max' }), fc.nat({ max: 100 }))

test('finds every event by the hash of its name, whatever came and went before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
      const events: (number | undefined)[] = []
      const index = new InsertIndex((place) => events[place])
      for (const [added, removed] of steps) {
        for (const one of added) index.add(events.push(one) - 1)
        for (let left = Math.min(removed, events.length); left > 0; left -= 1) {
          index.removeLast(events.length - 1)
          events.pop()
        }
      }
      for (const hash of new Set(events.filter((one) => one !== undefined))) {
        const places = events.flatMap((one, place) => (one === hash ? [place] : []))
        expect([...index.candidates(hash)].sort((a, b) => a - b)).toEqual(places)
      }
      expect([...index.candidates(3)]).toEqual([])
    }),
  )
})
