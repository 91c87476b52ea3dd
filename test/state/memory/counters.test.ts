import { describe, expect, test } from 'vitest'
import { Counters } from '../../../src/state/memory/counters.ts'

const hourMs = 3_600_000

describe('counters for keys that clients choose', () => {
  test('hold at most 10,000 sequences across all sandboxes', () => {
    const counters = new Counters()
    const sandboxes = Array.from({ length: 30 }, (_, index) => `worker-${index}`)
    for (let index = 0; index < 1000; index += 1)
      for (const sandbox of sandboxes) counters.nextSequenceIndex(sandbox, `s${index}`)
    const sizes = sandboxes.map((sandbox) => counters.sequenceCounts(sandbox).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  })

  test('hold at most 100,000 rate limit windows and evict the oldest first', () => {
    const counters = new Counters()
    const consume = (key: string) => counters.consumeRate('default', key, 1, hourMs, 0).allowed
    expect([consume('first'), consume('first'), consume('second')]).toEqual([true, false, true])
    for (let index = 0; index < 99_999; index += 1) consume(`key ${index}`)
    expect([consume('second'), consume('first')]).toEqual([false, true])
  })

  test('shorten long keys, which stay distinct', () => {
    const counters = new Counters()
    const longKey = (end: string) => `${'x'.repeat(16_000)}${end}`
    for (const end of ['a', 'b', 'a']) counters.nextSequenceIndex('default', longKey(end))
    const counts = counters.sequenceCounts('default')
    expect([...counts.values()]).toEqual([1, 2])
    for (const key of counts.keys()) expect(key.length).toBeLessThan(2000)
    const consume = (end: string) => counters.consumeRate('default', longKey(end), 1, hourMs, 0).allowed
    expect([consume('a'), consume('b'), consume('a')]).toEqual([true, true, false])
  })

  test('keep a sandbox’s windows open while another sandbox, with a different clock, uses many keys', () => {
    const counters = new Counters()
    counters.consumeRate('frozen', 'key', 1, hourMs, 0)
    for (let index = 0; index < 5000; index += 1) counters.consumeRate('real', `k${index}`, 1, 1, index * 10)
    expect(counters.consumeRate('frozen', 'key', 1, hourMs, 1).allowed).toBe(false)
  })
})
