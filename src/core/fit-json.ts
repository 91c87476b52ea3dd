import type { Json, JsonObject } from './json.ts'

export interface JsonSize {
  /** The number of members and items, at all levels together. */
  readonly members: number
  /** The number of levels of objects and arrays: 0 for a text, 1 for `{}`. */
  readonly levels: number
}

/** A value without the parts that are beyond a bound. */
export interface FittedJson {
  readonly value: Json
  /** The size of the whole value. */
  readonly size: JsonSize
  /** The objects and arrays of `value` that lack members or items of their own, each with the whole one. */
  readonly cut: ReadonlyMap<Json, Json>
  /** Those, and every object and array around them. */
  readonly around: ReadonlySet<Json>
}

const none: ReadonlySet<string> = new Set()

/**
 * Cuts a value to a bound. A list has its first items left, an object its members, and the large ones among these
 * share the room that the small
 * ones leave. What is left has the pointer that it had. A value within the bound is returned itself.
 * @param names the names of members that come first where an object has too many
 */
export function fitJson(value: Json, bound: JsonSize, names = none): FittedJson {
  const size = measureJson(value)
  const cut = new Map<Json, Json>()
  const around = new Set<Json>()
  return { value: cutMeasured(value, size, bound, { cut, around, names }).value, size, cut, around }
}

const fits = ({ members, levels }: JsonSize, bound: JsonSize) => members <= bound.members && levels <= bound.levels

type Container = Json[] | JsonObject

const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null

const unbounded: JsonSize = { members: Number.POSITIVE_INFINITY, levels: Number.POSITIVE_INFINITY }

/** Measures a value, however deep it is. Beyond a bound the count stops. */
export function measureJson(root: Json, bound: JsonSize = unbounded): JsonSize {
  let members = 0
  let levels = 0
  for (let level = [root].filter(isContainer); level.length > 0; levels += 1) {
    if (levels === bound.levels) return { members, levels: levels + 1 }
    const inner: Container[] = []
    for (const container of level) {
      members += addInner(container, inner, bound.members - members)
      if (members > bound.members) return { members, levels: levels + 1 }
    }
    level = inner
  }
  return { members, levels }
}

/** Returns the number of members or items of a container, and adds its containers to a list with room for them. */
function addInner(container: Container, inner: Container[], room: number): number {
  const values = Array.isArray(container) ? container : Object.values(container)
  if (values.length <= room) for (const value of values) if (isContainer(value)) inner.push(value)
  return values.length
}

/** A cut in progress: its marks so far, and the names that come first. */
interface Cut {
  readonly cut: Map<Json, Json>
  readonly around: Set<Json>
  readonly names: ReadonlySet<string>
}

/** A value within a bound, the number of its members, and true if it lacks any, at whatever level. */
interface CutValue {
  readonly value: Json
  readonly members: number
  readonly isCut: boolean
}

const cutValue = (value: Json, bound: JsonSize, marks: Cut) =>
  cutMeasured(value, measureJson(value, bound), bound, marks)

function cutMeasured(value: Json, size: JsonSize, bound: JsonSize, marks: Cut): CutValue {
  if (!isContainer(value) || fits(size, bound)) return { value, members: size.members, isCut: false }
  const copy = Array.isArray(value) ? cutList(value, bound, marks) : cutObject(value, bound, marks)
  if (copy.isCut) marks.around.add(copy.value)
  return copy
}

/** Returns the first items of a list, each whole unless it is the only one, or too deep. */
function cutList(list: Json[], { members, levels }: JsonSize, marks: Cut): CutValue {
  const value: Json[] = []
  let room = members
  let isCut = false
  for (const item of levels === 0 ? [] : list) {
    const bound = { members: room - 1, levels: levels - 1 }
    if (room === 0 || (value.length > 0 && measureJson(item, bound).members > bound.members)) break
    const inner = cutValue(item, bound, marks)
    value.push(inner.value)
    room -= 1 + inner.members
    isCut ||= inner.isCut
  }
  if (value.length < list.length) marks.cut.set(value, list)
  return { value, members: members - room, isCut: isCut || value.length < list.length }
}

/** Returns an object with its members; of too many the first, with room for half of the bound in them. */
function cutObject(object: JsonObject, { members, levels }: JsonSize, marks: Cut): CutValue {
  const names = Object.keys(object)
  const sizes = names.flatMap((name) => measureMember(name, object[name] ?? null, { members, levels: levels - 1 }))
  const inner = sizes.reduce((sum, { size }) => sum + size, 0)
  const most = levels === 0 ? 0 : Math.max(Math.ceil(members / 2), members - inner)
  const left = chooseNames(names, most, marks.names)
  const shares = shareRoom(
    sizes.filter(({ name }) => left.has(name)),
    members - left.size,
  )
  const value: JsonObject = {}
  let used = left.size
  let isCut = left.size < names.length
  if (isCut) marks.cut.set(value, object)
  for (const name of names) {
    if (!left.has(name)) continue
    const bound = { members: shares.get(name) ?? 0, levels: levels - 1 }
    const copy = cutValue(object[name] ?? null, bound, marks)
    setMember(value, name, copy.value)
    used += copy.members
    isCut ||= copy.isCut
  }
  return { value, members: used, isCut }
}

function chooseNames(names: readonly string[], most: number, first: ReadonlySet<string>): Set<string> {
  if (names.length <= most) return new Set(names)
  return new Set([...names.filter((name) => first.has(name)), ...names].slice(0, most))
}

/** The size of a member that is an object or array, in members of its own. */
interface MemberSize {
  readonly name: string
  readonly size: number
}

function measureMember(name: string, value: Json, bound: JsonSize): MemberSize | [] {
  return isContainer(value) ? { name, size: measureJson(value, bound).members } : []
}

/** Shares room among members: the smallest come first, and what they do not need is left to larger ones. */
function shareRoom(sizes: readonly MemberSize[], room: number): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  const ascending = sizes.toSorted((one, other) => one.size - other.size)
  let rest = room
  for (const [index, { name, size }] of ascending.entries()) {
    const share = Math.min(size, Math.floor(rest / (ascending.length - index)))
    shares.set(name, share)
    rest -= share
  }
  return shares
}

function setMember(object: JsonObject, name: string, value: Json): void {
  // An assignment to this name would set the prototype.
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}
