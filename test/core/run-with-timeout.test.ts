import { expect, test } from 'vitest'
import { runWithTimeout } from '../../src/core/run-with-timeout.ts'

test('work that ends in time has its value, also within other work', () => {
  expect(runWithTimeout(5000, () => runWithTimeout(5000, () => 'inner'))).toEqual({
    value: { value: 'inner' },
  })
  expect(runWithTimeout(5000, () => undefined)).toEqual({ value: undefined })
})

test('work without end is broken off, within a loop and within a regular expression', () => {
  const endless = () => {
    for (;;);
  }
  expect(runWithTimeout(5, endless)).toBeUndefined()
  expect(runWithTimeout(5, () => /^(?:a+)+$/.test(`${'a'.repeat(60)}!`))).toBeUndefined()
  expect(runWithTimeout(5000, () => 1)).toEqual({ value: 1 })
})

test('an exception of the work is thrown as it is', () => {
  const error = new RangeError('a bug')
  const work = () => {
    throw error
  }
  expect(() => runWithTimeout(5000, work)).toThrow(error)
})
