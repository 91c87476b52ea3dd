/**
 * Refuses a value that JSON cannot carry: without such a member a condition would match other requests, too.
 * @param place the place of the value in the caller's words: `match.body.insertId`
 * @throws Error with the place
 */
export function refuseNonJson(value: unknown, place: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlain(value)))
    throw new Error(
      `${place} is ${nameValue(value)}, which JSON cannot carry. Give a JSON value, or leave the condition out.`,
    )
  for (const [name, member] of Object.entries(value)) refuseNonJson(member, `${place}.${name}`)
}

/** Returns true for an object that is no instance of a class, of whatever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameValue = (value: unknown) =>
  typeof value === 'object' ? `a ${value?.constructor.name}` : typeof value === 'number' ? String(value) : typeof value
