import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruCache } from '../../src/core/lru-cache.ts'

/** Gives the key back with how often it was made. */
function setup(size: number) {
  const remembered = new LruCache<string>(size)
  const made = new Map<string, number>()
  const get = (key: string) =>
    remembered.get(key, () => {
      made.set(key, (made.get(key) ?? 0) + 1)
      return `${key} ${made.get(key)}`
    })
  return { remembered, get }
}

test('a value is made once, and given out again', () => {
  const { get } = setup(2)
  expect([get('a'), get('a'), get('b'), get('a')]).toEqual(['a 1', 'a 1', 'b 1', 'a 1'])
})

test('for one more the one goes that nobody asked for longest', () => {
  const { get } = setup(2)
  for (const key of ['a', 'b', 'a', 'c']) get(key)
  expect([get('a'), get('c'), get('b')]).toEqual(['a 1', 'c 1', 'b 2'])
})

test('with a size of 0 nothing is remembered', () => {
  const { get, remembered } = setup(0)
  expect([get('a'), get('a')]).toEqual(['a 1', 'a 2'])
  expect(remembered.size).toBe(0)
})

test('whatever is asked for, it never holds more than its size, and never another key’s value', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 }), fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')), (size, keys) => {
      const { get, remembered } = setup(size)
      for (const key of keys) {
        expect(get(key).startsWith(`${key} `)).toBe(true)
        expect(remembered.size).toBeLessThanOrEqual(size)
      }
    }),
  )
})
