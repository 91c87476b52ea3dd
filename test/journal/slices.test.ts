import { expect, test } from 'vitest'
import { maxWorkMs, visitInSlices } from '../../src/journal/slices.ts'

/** A clock that only the work moves. */
function createClock() {
  let ms = 0
  const pass = (more: number) => {
    ms += more
  }
  return { elapsed: () => ms, pass }
}

test('a slice ends after 10 ms, and each item is visited once', async () => {
  const { elapsed, pass } = createClock()
  const visited: number[] = []
  const isDone = await visitInSlices(
    Array.from({ length: 50 }, (_, index) => index),
    elapsed,
    (item, index) => {
      expect(item).toBe(index)
      visited.push(item)
      pass(5)
    },
    (slice) => {
      const before = visited.length
      slice()
      expect(visited.length - before).toBe(2)
      return true
    },
  )
  expect(isDone).toBe(true)
  expect(visited).toEqual(Array.from({ length: 50 }, (_, index) => index))
})

test('work that takes too long is given up', async () => {
  const { elapsed, pass } = createClock()
  let visits = 0
  const isDone = await visitInSlices(new Array(1000).fill(0), elapsed, () => {
    visits += 1
    pass(100)
  })
  expect(isDone).toBe(false)
  expect(visits).toBe(maxWorkMs / 100 + 1)
})

test('an item is visited again after a break, and given up after another', async () => {
  const { elapsed } = createClock()
  const runs: number[] = []
  const breakAt = (item: number, times: number) => (slice: () => void) => {
    try {
      slice()
      return true
    } catch {
      return runs.filter((run) => run === item).length > times
    }
  }
  const visit = (times: number) => (item: number) => {
    runs.push(item)
    if (item === 2 && runs.filter((run) => run === 2).length <= times) throw new Error('broken off')
  }
  expect(await visitInSlices([1, 2, 3], elapsed, visit(1), breakAt(2, 1))).toBe(true)
  expect(runs).toEqual([1, 2, 2, 3])
  runs.length = 0
  expect(await visitInSlices([1, 2, 3], elapsed, visit(9), breakAt(2, 9))).toBe(false)
  expect(runs).toEqual([1, 2, 2])
})
