import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { Counters } from '../../../src/state/memory/counters.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const anHour = 3_600_000

describe('counters of keys that clients choose', () => {
  test('hold at most 10,000 sequences, in however many sandboxes', () => {
    const counters = new Counters()
    const names = Array.from({ length: 30 }, (_, index) => `worker-${index}`)
    for (let index = 0; index < 1000; index += 1)
      for (const name of names) counters.nextSequenceIndex(name, `s${index}`)
    const sizes = names.map((name) => counters.sequenceCounts(name).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  })

  test('hold at most 100,000 rate windows; the one that was opened first goes', () => {
    const counters = new Counters()
    const isAllowed = (key: string) => counters.consumeRate('default', key, 1, anHour, 0).allowed
    expect([isAllowed('first'), isAllowed('first'), isAllowed('second')]).toEqual([true, false, true])
    for (let index = 0; index < 99_999; index += 1) isAllowed(`key ${index}`)
    expect([isAllowed('second'), isAllowed('first')]).toEqual([false, true])
  })

  test('take as little memory for long keys as for short ones', () => {
    const counters = new Counters()
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < 5000; index += 1) {
      const key = `${'x'.repeat(16_000)}${index}`
      expect(counters.consumeRate('default', key, 1, anHour, 0).allowed).toBe(true)
      counters.nextSequenceIndex('default', key)
    }
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000) // the keys have 80 MB
    expect(counters.consumeRate('default', `${'x'.repeat(16_000)}7`, 1, anHour, 0).allowed).toBe(false)
  })

  test('a sandbox that sees many keys closes no window of another, whose clock may differ', () => {
    const counters = new Counters()
    counters.consumeRate('frozen', 'key', 1, anHour, 0)
    for (let index = 0; index < 5000; index += 1) counters.consumeRate('real', `k${index}`, 1, 1, index * 10)
    expect(counters.consumeRate('frozen', 'key', 1, anHour, 1).allowed).toBe(false)
  })

  test('a reset sandbox begins again, and the others go on', () => {
    const counters = new Counters()
    for (const name of ['a', 'b']) counters.nextSequenceIndex(name, 's')
    counters.reset('a')
    expect([counters.nextSequenceIndex('a', 's'), counters.nextSequenceIndex('b', 's')]).toEqual([0, 1])
    expect(counters.sequenceCounts('a')).toEqual(new Map([['s', 1]]))
  })
})
