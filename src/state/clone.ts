/**
 * Returns a deep copy of JSON. Members without a value are left out and -0 becomes 0, as after a way through a file, so
 * that the store in memory and the store in a file never differ.
 */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return (value === 0 ? 0 : value) as T
  if (Array.isArray(value)) return value.map(cloneJson) as T
  // A spread with assignments to existing members is fast, and leaves `__proto__` an ordinary member.
  const copy = { ...value } as Record<string, unknown>
  for (const key of Object.keys(copy)) {
    if (copy[key] === undefined) delete copy[key]
    else copy[key] = cloneJson(copy[key])
  }
  return copy as T // which has the shape of the original
}

/** Yields copies of records, of which some may be JSON. */
export function* copyEach<T extends object>(records: Iterable<T | string>): Generator<T> {
  for (const record of records) yield typeof record === 'string' ? JSON.parse(record) : cloneJson(record)
}

/** Returns the spelling by which UUIDs are compared, or null for a value that is no string. */
export function uuidKey(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}
