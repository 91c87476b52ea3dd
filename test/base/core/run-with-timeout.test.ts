import { expect, test } from 'vitest'
import { runWithTimeout } from '../../../src/base/core/run-with-timeout.ts'

test('work that ends in time has its value, also within other work', () => {
  expect(runWithTimeout(5000, () => runWithTimeout(5000, () => 'inner'))).toEqual({ value: { value: 'inner' } })
  expect(runWithTimeout(5000, () => undefined)).toEqual({ value: undefined })
})

test('an exception of the work is thrown as it is', () => {
  const error = new RangeError('a bug')
  const work = () => {
    throw error
  }
  expect(() => runWithTimeout(5000, work)).toThrow(error)
})

test('work that waits for the processor is run again until it has had its time', () => {
  let runs = 0
  const sleepFirst = () => {
    runs += 1
    if (runs === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200) // takes no processor time
    return runs
  }
  // On a busy machine a further run may wait, too.
  expect(runWithTimeout(100, sleepFirst)).toMatchObject({ value: expect.toSatisfy((count) => count >= 2) })
})
