import { parse } from 'node:querystring'
import { LruCache } from './memoize.ts'

type Query = Readonly<Record<string, string | readonly string[]>>

/** Most requests repeat one of a few queries. Without this, a cached GET takes some 4 µs more. */
const parsedQueries = new LruCache<Query>(100)

/** Parses a query string: `a=1&a=2` is `{ a: ['1', '2'] }`. The result is frozen and shared between calls. */
export function readQuery(query: string): Query {
  // `parse` sets no member to undefined.
  return parsedQueries.get(query, () => freezeQuery(parse(query, '&', '=', { maxKeys: 0 }) as Query))
}

function freezeQuery(query: Query): Query {
  for (const value of Object.values(query)) Object.freeze(value)
  return Object.freeze(query)
}
