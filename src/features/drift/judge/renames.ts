import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, measureJson } from '../../../base/core/json.ts'
import { parsePointer } from '../../../base/core/json-pointer.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { parseBodyOf } from '../observe/observation.ts'
import { observeBody } from '../observe/observe-body.ts'
import { nameOf, parentOf } from '../observe/places.ts'
import type { Tally } from './tally.ts'

/** The most new fields of an object that are tried in a body as renamed ones. */
const maxCandidates = 100

/** The most members of the bodies in which new names are tried, together and for the responses of one status. */
const maxTriedMembers = 4_000_000

/**
 * Finds the fields that were renamed: exactly one new field of the same object fits exactly one missing field, in the
 * same responses. Returns the tallies with one for each such pair, those first.
 */
export function mergeRenames(operation: Operation, tallies: readonly Tally[]): Tally[] {
  const ofKind = (kind: string) => tallies.filter(({ first }) => first.kind === kind)
  const byObject = groupBy(ofKind('new-field'), ({ first }) => parentOf(first.pointer))
  const fits = createTrials(operation)
  const pairs = ofKind('missing-field').flatMap((missing) => {
    const candidates = byObject.get(parentOf(missing.first.pointer)) ?? []
    const fitting = candidates.length > maxCandidates ? [] : candidates.filter((added) => fits(missing, added))
    return fitting.map((added) => ({ missing, added }))
  })
  const renames = pairs.filter(
    (pair) => pairs.filter(({ missing, added }) => missing === pair.missing || added === pair.added).length === 1,
  )
  const merged = new Set(renames.flatMap(({ missing, added }) => [missing, added]))
  return [
    ...renames.map(({ missing, added }) => toTally(missing, added)),
    ...tallies.filter((tally) => !merged.has(tally)),
  ]
}

function toTally(missing: Tally, added: Tally): Tally {
  const detail = nameOf(added.first.pointer)
  const message = `is now called "${detail}"`
  const first = { ...missing.first, kind: 'renamed-field', detail, message, value: added.first.value } as const
  return { ...missing, first, values: added.values }
}

/** Creates a test whether a new field, under the old name, has no fault in any response without the old one. */
function createTrials(operation: Operation): (missing: Tally, added: Tally) => boolean {
  let left = maxTriedMembers
  return (missing, added) => {
    if (missing.seen !== added.seen || missing.digest !== added.digest) return false
    const { pointer } = missing.first
    return missing.samples.every((response) => {
      const body = parseBodyOf(operation, response).json ?? null
      left -= measureJson(body).members
      if (left <= 0) return false
      const owner = parsePointer(parentOf(pointer))
      const renamed = renameMember(body, owner, nameOf(pointer), nameOf(added.first.pointer))
      const places = observeBody(operation, response.status, renamed).observations.map((one) => one.pointer)
      return !places.some((at) => at === pointer || at.startsWith(`${pointer}/`) || at === added.first.pointer)
    })
  }
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
