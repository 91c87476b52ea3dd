import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruCache } from '../../src/core/lru-cache.ts'

/** Returns a cache whose values are the key and the number of times that the value was made. */
function setup(capacity: number) {
  const cache = new LruCache<string>(capacity)
  const made = new Map<string, number>()
  const get = (key: string) =>
    cache.get(key, () => {
      made.set(key, (made.get(key) ?? 0) + 1)
      return `${key} ${made.get(key)}`
    })
  return { cache, get }
}

test('a value is made once and returned again', () => {
  const { get } = setup(2)
  expect([get('a'), get('a'), get('b'), get('a')]).toEqual(['a 1', 'a 1', 'b 1', 'a 1'])
})

test('a full cache evicts the least recently used value', () => {
  const { get } = setup(2)
  for (const key of ['a', 'b', 'a', 'c']) get(key)
  expect([get('a'), get('c'), get('b')]).toEqual(['a 1', 'c 1', 'b 2'])
})

test('a cache of capacity 0 stores no value', () => {
  const { get, cache } = setup(0)
  expect([get('a'), get('a')]).toEqual(['a 1', 'a 2'])
  expect(cache.size).toBe(0)
})

test('no sequence of keys makes the cache exceed its capacity or return the value of another key', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 }), fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')), (capacity, keys) => {
      const { get, cache } = setup(capacity)
      for (const key of keys) {
        expect(get(key).startsWith(`${key} `)).toBe(true)
        expect(cache.size).toBeLessThanOrEqual(capacity)
      }
    }),
  )
})
