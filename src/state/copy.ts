/**
 * A copy of JSON that nobody else holds. Members without a value are left out and -0 becomes 0, as on a way through a
 * file, so that memory and file never differ.
 */
export function ownCopy<T>(value: T): T {
  return copied(value) as T // the copy has the shape of what it copies
}

function copied(value: unknown): unknown {
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  const members: [string, unknown][] = []
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push([key, copied(member)])
  }
  // Not by assignment, which would take a member called `__proto__` for the prototype.
  return Object.fromEntries(members)
}

/** The value itself, made unchangeable to its last member, so that it can be given out without a copy. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
