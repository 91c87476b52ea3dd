import { expect, test } from 'vitest'
import { chunksInSlices, maxWorkMs, SlicedWork, visitInSlices } from '../../../src/base/core/slices.ts'
import { nextTurn } from '../../../src/base/core/timers.ts'

/** Returns a clock that changes only when `advance` is called. */
function createClock() {
  let ms = 0
  const advance = (more: number) => {
    ms += more
  }
  return { elapsed: () => ms, advance }
}

test('a slice ends after 10 ms, and each item is visited once', async () => {
  const { elapsed, advance } = createClock()
  const items = Array.from({ length: 50 }, (_, index) => index)
  const slices: number[][] = []
  let isNewSlice = true
  const isDone = await visitInSlices(items, elapsed, (item) => {
    if (isNewSlice) {
      slices.push([])
      isNewSlice = false
      queueMicrotask(() => {
        isNewSlice = true
      })
    }
    slices.at(-1)?.push(item)
    advance(5)
  })
  expect(isDone).toBe(true)
  expect(slices.map(({ length }) => length)).toEqual(new Array(25).fill(2))
  expect(slices.flat()).toEqual(items)
})

test('work that takes too long is abandoned', async () => {
  const { elapsed, advance } = createClock()
  let visits = 0
  const isDone = await visitInSlices(new Array(1000).fill(0), elapsed, () => {
    visits += 1
    advance(100)
  })
  expect(isDone).toBe(false)
  expect(visits).toBe(maxWorkMs / 100 + 1)
})

test('a pause is due after 10 ms of work, but not again right after the pause', async () => {
  const { elapsed, advance } = createClock()
  const work = new SlicedWork(elapsed)
  advance(9)
  expect(work.isPauseDue).toBe(false)
  advance(1)
  expect(work.isPauseDue).toBe(true)
  await work.pause()
  expect(work.isPauseDue).toBe(false)
})

test('each turn of the event loop runs at most one slice, however many requests are processed at once', async () => {
  let turn = 0
  let isDone = false
  const countTurns = async () => {
    for (; !isDone; turn += 1) await nextTurn()
  }
  const turns: number[] = []
  const work = async () => {
    const slices = new SlicedWork()
    for (let slice = 0; slice < 5; slice += 1) {
      await slices.pause()
      turns.push(turn)
    }
  }
  const counting = countTurns()
  await Promise.all(Array.from({ length: 10 }, work))
  isDone = true
  await counting
  expect(turns).toHaveLength(50)
  expect(new Set(turns).size).toBe(50)
})

test('a chunk of joined pieces ends when the slice ends or when the chunk is long enough', async () => {
  const { elapsed, advance } = createClock()
  function* pieces() {
    for (const piece of ['a', 'b', 'c', 'd', 'e']) {
      advance(5)
      yield piece
    }
    yield 'f'.repeat(100_000)
    yield 'g'
  }
  const chunks: string[] = []
  for await (const chunk of chunksInSlices(pieces(), new SlicedWork(elapsed))) chunks.push(chunk)
  expect(chunks).toEqual(['ab', 'cd', `e${'f'.repeat(100_000)}`, 'g'])
})
