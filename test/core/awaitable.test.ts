import { expect, test } from 'vitest'
import { andThen, rescued } from '../../src/core/awaitable.ts'

const twice = (value: number) => value * 2
const inWords = (error: unknown) => `rescued: ${String(error)}`

test('what is there is gone on with at once, what is not once it comes', async () => {
  expect(andThen(4, twice)).toBe(8)
  await expect(andThen(Promise.resolve(4), twice)).resolves.toBe(8)
  await expect(andThen(4, async (value) => value + 1)).resolves.toBe(5)
})

test('a failure is rescued whether it happens now or later; a success is left alone', async () => {
  const fail = () => {
    throw new RangeError('too far')
  }
  expect(rescued(fail, inWords)).toBe('rescued: RangeError: too far')
  await expect(rescued(async () => fail(), inWords)).resolves.toBe('rescued: RangeError: too far')
  expect(rescued(() => 'fine', inWords)).toBe('fine')
  await expect(rescued(async () => 'fine', inWords)).resolves.toBe('fine')
})
