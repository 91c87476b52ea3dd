import { parse } from 'node:querystring'

type Query = Readonly<Record<string, string | readonly string[]>>

/** Parses a query string: `a=1&a=2` is `{ a: ['1', '2'] }`. */
export function readQuery(query: string): Query {
  return parse(query, '&', '=', { maxKeys: 0 }) as Query // `parse` sets no member to undefined
}
