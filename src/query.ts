import { parse } from 'node:querystring'

/** A query as it was sent: percent-encoding undone; a parameter that is sent twice is an array. */
export function readQuery(query: string): Readonly<Record<string, string | string[]>> {
  return parse(query, '&', '=', { maxKeys: 0 }) as Record<string, string | string[]> // no member without a value
}
