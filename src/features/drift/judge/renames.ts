import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, measureJson } from '../../../base/core/json.ts'
import { parsePointer } from '../../../base/core/json-pointer.ts'
import { observeBody } from '../observe/observe-body.ts'
import { type ObservedResponse, parseBodyOf } from '../observe/response.ts'
import type { Tally } from './tally.ts'

/** A required field that is missing, and a new field that has its place and its shape. */
interface Rename {
  readonly missing: Tally
  readonly added: Tally
}

/** The most new fields of an object that are tried in a body as renamed ones. */
const maxCandidates = 100

/** The most members of the bodies in which new names are tried, together and for the responses of one status. */
const maxTriedMembers = 4_000_000

/**
 * Finds the fields that were renamed: exactly one new field of the same object fits exactly one missing field, in the
 * same responses. Returns the tallies with one for each such pair, those first.
 */
export function mergeRenames(tallies: readonly Tally[]): Tally[] {
  const ofKind = (kind: string) => tallies.filter(({ first }) => first.kind === kind)
  const added = groupBy(ofKind('new-field'), ({ first }) => splitPointer(first.pointer).owner)
  const fits = createTrials()
  const pairs = ofKind('missing-field').flatMap((missing) => {
    const candidates = added.get(splitPointer(missing.first.pointer).owner) ?? []
    const tried = candidates.length > maxCandidates ? [] : candidates.filter((one) => fits(missing, one))
    return tried.map((one): Rename => ({ missing, added: one }))
  })
  const isLike = (one: Rename, other: Rename) => one.missing === other.missing || one.added === other.added
  const renames = pairs.filter((pair) => pairs.filter((other) => isLike(pair, other)).length === 1)
  const merged = new Set(renames.flatMap(({ missing, added }) => [missing, added]))
  return [...renames.map(toTally), ...tallies.filter((tally) => !merged.has(tally))]
}

function toTally({ missing, added }: Rename): Tally {
  const detail = splitPointer(added.first.pointer).name
  const message = `is now called "${detail}"`
  const first = { ...missing.first, kind: 'renamed-field', detail, message, value: added.first.value } as const
  return { ...missing, first, values: added.values }
}

/**
 * Creates a function that returns true if a new field, under the old name, cures every response without the old one.
 */
function createTrials(): (missing: Tally, added: Tally) => boolean {
  let left = maxTriedMembers
  return (missing, added) => {
    if (missing.seen !== added.seen || missing.digest !== added.digest) return false
    return missing.samples.every((response) => {
      const body = parseBodyOf(response).json ?? null
      left -= measureJson(body).members
      return left > 0 && isCured(response, body, missing.first.pointer, added.first.pointer)
    })
  }
}

/** Returns true where a response has no fault at the field once it has the name of the contract. */
function isCured(response: ObservedResponse, body: Json, place: string, newPlace: string): boolean {
  const { owner, name } = splitPointer(place)
  const cured = renameMember(body, parsePointer(owner), name, splitPointer(newPlace).name)
  return !observeBody(response, cured).observations.some(
    ({ pointer }) => pointer === place || pointer.startsWith(`${place}/`) || pointer === newPlace,
  )
}

/** Returns a copy of a body in which the objects at a place have their new field under the old name. */
function renameMember(value: Json, [token, ...rest]: readonly string[], name: string, newName: string): Json {
  if (Array.isArray(value)) return token === '*' ? value.map((item) => renameMember(item, rest, name, newName)) : value
  if (!isObject(value)) return value
  if (token !== undefined)
    return Object.hasOwn(value, token)
      ? { ...value, [token]: renameMember(value[token] ?? null, rest, name, newName) }
      : value
  const { [newName]: moved, ...others } = value
  return moved === undefined ? value : { ...others, [name]: moved }
}

function splitPointer(pointer: string): { owner: string; name: string } {
  const at = pointer.lastIndexOf('/')
  return { owner: pointer.slice(0, at), name: parsePointer(pointer.slice(at))[0] ?? '' }
}
