/**
 * A copy of JSON that nobody else holds. Members without a value are left out and -0 becomes 0, as on a way through a
 * file, so that memory and file never differ.
 */
export function cloneJson<T>(value: T): T {
  return copied(value) as T // the copy has the shape of what it copies
}

function copied(value: unknown): unknown {
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  // A spread, and assignments to members that it has made: the quick way, and `__proto__` stays a member like others.
  const copy: Record<string, unknown> = { ...value }
  for (const key of Object.keys(copy)) {
    const member = copy[key]
    if (member === undefined) delete copy[key]
    else if (member === 0 || typeof member === 'object') copy[key] = copied(member)
  }
  return copy
}

/** The value itself, made unchangeable to its last member, so that it can be given out without a copy. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}

/** The spelling of a UUID to compare by; null where there is none. The contract can be edited, so it may be anything. */
export function uuidKey(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}
