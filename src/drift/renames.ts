import { type FittedJson, fitJson } from '../core/fit-json.ts'
import { groupBy } from '../core/group-by.ts'
import { isObject, type Json } from '../core/json.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { bodyBounds, type ObservedAnswer } from './answer.ts'
import { observeBody } from './observe-body.ts'
import type { Tally } from './tally.ts'

/** A required field that is missing, and a new field that has its place and its shape. */
export interface Rename {
  readonly missing: Tally
  readonly added: Tally
}

/** The most new fields of an object, beyond which none is taken for a renamed one: each is tried in a body. */
const maxCandidates = 100

/** The bounds of the bodies in which new names are tried, and the most trials for the answers of one status. */
const trialBounds = { ...bodyBounds, members: 2000 }
const maxTrials = 2000

/** Returns the body of an answer; undefined: it has none. */
type ReadBody = (answer: ObservedAnswer) => FittedJson | undefined

/** Finds the fields that were renamed: exactly one new field of the same object fits exactly one missing field, in the same answers. */
export function findRenames(tallies: readonly Tally[], read: ReadBody): Rename[] {
  const added = groupBy(
    tallies.filter(({ first }) => first.kind === 'new-field'),
    ({ first }) => splitPointer(first.pointer).owner,
  )
  const trials = new Trials(read)
  const pairs = tallies
    .filter(({ first }) => first.kind === 'missing-field')
    .flatMap((missing) => {
      const others = added.get(splitPointer(missing.first.pointer).owner) ?? []
      const candidates = others.length > maxCandidates ? [] : others
      return candidates
        .filter((one) => trials.fits(missing, one))
        .map((one): Rename => ({ missing, added: one }))
    })
  return pairs.filter(
    (pair) =>
      pairs.filter((other) => other.missing === pair.missing || other.added === pair.added).length === 1,
  )
}

/** Tries new names of fields in answers, up to a number of trials. */
class Trials {
  readonly #read: ReadBody
  readonly #bodies = new Map<ObservedAnswer, Json>()
  #left = maxTrials

  constructor(read: ReadBody) {
    this.#read = read
  }

  /** Returns true where a new field, under the old name, cures every answer in which the old one is missing. */
  fits(missing: Tally, added: Tally): boolean {
    if (missing.seen !== added.seen || missing.digest !== added.digest) return false
    return missing.samples.every((answer) =>
      this.#isCured(answer, missing.first.pointer, added.first.pointer),
    )
  }

  /** Returns true where an answer has no fault at the field once it has the name of the contract. */
  #isCured(answer: ObservedAnswer, place: string, newPlace: string): boolean {
    if (this.#left === 0) return false
    this.#left -= 1
    const { owner, name } = splitPointer(place)
    const body = rename(this.#bodyOf(answer), parsePointer(owner), name, splitPointer(newPlace).name)
    return !observeBody(answer, fitJson(body, bodyBounds)).observations.some(
      ({ pointer }) => pointer === place || pointer.startsWith(`${place}/`) || pointer === newPlace,
    )
  }

  #bodyOf(answer: ObservedAnswer): Json {
    const known = this.#bodies.get(answer)
    if (known !== undefined) return known
    const body = fitJson(this.#read(answer)?.value ?? null, trialBounds).value
    this.#bodies.set(answer, body)
    return body
  }
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
