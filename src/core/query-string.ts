import { parse } from 'node:querystring'
import { LruCache } from './lru-cache.ts'

type Query = Readonly<Record<string, string | readonly string[]>>

/** Most requests have one of a few. */
const latest = new LruCache<Query>(100)

/** A query as it was sent: percent-encoding undone; a parameter that is sent twice is an array. */
export function readQuery(query: string): Query {
  return latest.get(query, () => frozen(parse(query, '&', '=', { maxKeys: 0 }) as Query)) // no member without a value
}

/** Many requests are given the same one. */
function frozen(query: Query): Query {
  for (const value of Object.values(query)) Object.freeze(value)
  return Object.freeze(query)
}
