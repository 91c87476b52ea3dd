import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InsertIndex } from '../../src/state/insert-index.ts'

/** Few enough that many are the same, and their slots neighbours or the same ones; undefined: no name. */
const hashes = fc.option(fc.constantFrom(0, 1, 2, 62, 63, 64, 127, 128, -1, -64, 0x7fffffff, -0x80000000), {
  nil: undefined,
})

/** Events that come, and in place of `pop` the last one goes. */
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: hashes }, fc.constant('pop' as const)), {
  maxLength: 300,
})

type Step = number | undefined | 'pop'

function played(steps: readonly Step[]) {
  const events: (number | undefined)[] = []
  const index = new InsertIndex((place) => events[place])
  for (const step of steps) {
    if (step !== 'pop') index.add(events.push(step) - 1)
    else if (events.length > 0) {
      index.removeLast(events.length - 1)
      events.pop()
    }
  }
  return { events, index }
}

test('finds every event by the hash of its name, whatever came and went before', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const { events, index } = played(steps)
      for (const hash of new Set(events.filter((one) => one !== undefined))) {
        const places = events.flatMap((one, place) => (one === hash ? [place] : []))
        expect([...index.candidates(hash)].sort((a, b) => a - b)).toEqual(places)
      }
      expect([...index.candidates(3)]).toEqual([])
    }),
  )
})
