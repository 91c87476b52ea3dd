import { expect, test } from 'vitest'
import { andThen, rescued } from '../../src/core/awaitable.ts'

const twice = (value: number) => value * 2
const toSentence = (error: unknown) => `rescued: ${String(error)}`

test('andThen applies a function at once to a value, and later to a promise', async () => {
  expect(andThen(4, twice)).toBe(8)
  await expect(andThen(Promise.resolve(4), twice)).resolves.toBe(8)
  await expect(andThen(4, async (value) => value + 1)).resolves.toBe(5)
})

test('rescued replaces a failure, whether it is thrown or rejected, and leaves a success unchanged', async () => {
  const fail = () => {
    throw new RangeError('too far')
  }
  expect(rescued(fail, toSentence)).toBe('rescued: RangeError: too far')
  await expect(rescued(async () => fail(), toSentence)).resolves.toBe('rescued: RangeError: too far')
  expect(rescued(() => 'fine', toSentence)).toBe('fine')
  await expect(rescued(async () => 'fine', toSentence)).resolves.toBe('fine')
})
