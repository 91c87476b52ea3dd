import { isObject, type Json } from '../core/json.ts'
import { joinPointer, parsePointer } from '../core/json-pointer.ts'
import type { ObservedAnswer } from './answer.ts'
import { observeBody } from './observe-body.ts'
import type { Tally } from './tally.ts'

/** A required field that is missing, and a new field that has its place and its shape. */
export interface Rename {
  readonly missing: Tally
  readonly added: Tally
}

/** Finds the fields that were renamed: exactly one new field of the same object fits exactly one missing field, in the same answers. */
export function findRenames(tallies: readonly Tally[]): Rename[] {
  const missing = tallies.filter(({ first }) => first.kind === 'missing-field')
  const added = tallies.filter(({ first }) => first.kind === 'new-field')
  const pairs = missing.flatMap((one) =>
    added.filter((other) => fits(one, other)).map((other) => ({ missing: one, added: other })),
  )
  return pairs.filter(
    (pair) =>
      pairs.filter((other) => other.missing === pair.missing || other.added === pair.added).length === 1,
  )
}

function fits(missing: Tally, added: Tally): boolean {
  const { owner, name } = splitPointer(missing.first.pointer)
  const other = splitPointer(added.first.pointer)
  if (owner !== other.owner || missing.answers.size !== added.answers.size) return false
  return [...missing.answers].every(
    (answer) => added.answers.has(answer) && isCured(answer, owner, name, other.name),
  )
}

/** Returns true where an answer has no fault at the field once it has the name of the contract. */
function isCured(answer: ObservedAnswer, owner: string, name: string, newName: string): boolean {
  const body = rename(answer.body ?? null, parsePointer(owner), name, newName)
  const place = joinPointer(owner, name)
  return !observeBody({ ...answer, body }).some(
    ({ pointer }) =>
      pointer === place || pointer.startsWith(`${place}/`) || pointer === joinPointer(owner, newName),
  )
}

/** Returns a copy of a body in which the objects at a place have their new field under the old name. */
function rename(value: Json, [token, ...rest]: readonly string[], name: string, newName: string): Json {
  if (Array.isArray(value))
    return token === '*' ? value.map((item) => rename(item, rest, name, newName)) : value
  if (!isObject(value)) return value
  if (token !== undefined)
    return Object.hasOwn(value, token)
      ? { ...value, [token]: rename(value[token] ?? null, rest, name, newName) }
      : value
  const { [newName]: moved, ...others } = value
  return moved === undefined ? value : { ...others, [name]: moved }
}

function splitPointer(pointer: string): { owner: string; name: string } {
  const at = pointer.lastIndexOf('/')
  return { owner: pointer.slice(0, at), name: parsePointer(pointer.slice(at))[0] ?? '' }
}
