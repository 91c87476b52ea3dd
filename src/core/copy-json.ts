import type { Json } from './json.ts'

/** Returns a copy in which each place has a value of its own, also where an alias of YAML made several places share one. */
export function copyJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
