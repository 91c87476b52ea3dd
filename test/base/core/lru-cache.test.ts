import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruCache } from '../../../src/base/core/memoize.ts'

/** Returns a cache whose values are the key and the number of times that the value was made. */
function setup(capacity: number) {
  const cache = new LruCache<string>(capacity)
  const made = new Map<string, number>()
  const get = (key: string) =>
    cache.get(key, () => {
      made.set(key, (made.get(key) ?? 0) + 1)
      return `${key}${made.get(key)}`
    })
  return { cache, get }
}

test.each([
  ['makes a value once, and returns it again', 2, 'a a b a', 'a1 a1 b1 a1'],
  ['evicts the least recently used value when it is full', 2, 'a b a c a c b', 'a1 b1 a1 c1 a1 c1 b2'],
  ['stores nothing with the capacity 0', 0, 'a a', 'a1 a2'],
])('a cache %s', (_name, capacity, keys, values) => {
  const { cache, get } = setup(capacity)
  expect(keys.split(' ').map(get).join(' ')).toBe(values)
  expect(cache.size).toBeLessThanOrEqual(capacity)
})

test('no sequence of keys makes the cache exceed its capacity or return the value of another key', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 }), fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')), (capacity, keys) => {
      const { get, cache } = setup(capacity)
      for (const key of keys) {
        expect(get(key).startsWith(key)).toBe(true)
        expect(cache.size).toBeLessThanOrEqual(capacity)
      }
    }),
  )
})
