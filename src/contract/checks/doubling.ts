import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer, valueAt } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { walk } from '../walk.ts'
import { listInPlace } from './recursion.ts'
import { findCycles } from './schema-cycles.ts'

/** A schema that is applied to parts of a value. */
interface PartSchema {
  readonly pointer: string
  /** The parts: `.left` is a member, `.*` is any member, `[0]` is an item, `[*]` is any item. */
  readonly part: string
  /** True: it is not applied to the parts that other keywords of the same schema name, as with `additionalProperties`. */
  readonly isRest: boolean
}

/** A schema that applies itself, by way of others, more than once to the same part of a value. */
interface Doubling {
  readonly pointer: string
  /** The part: `.left`. */
  readonly part: string
}

/** Warns of each group of schemas whose checks take twice as long for each level of a value. Values for which they take too long are refused. */
export function checkDoubling(document: JsonObject, source: Source): Finding[] {
  return findDoublings(document).map(({ pointer, part }) => {
    const message = `applies itself more than once to the same part of a value (${part}), so that a check may take twice as long for each level; values for which it takes very long are refused`
    return { severity: 'warning', place: source.place(pointer), message }
  })
}

/**
 * Finds schemas such as `Node: {allOf: [{properties: {a: Node}}, {properties: {a: Node}}]}`: a value of 60 levels takes 2^60 steps. It
 * is a cautious rule: of the schemas that contain each other, one applies two of them, or one of them twice, to the same part.
 */
export function findDoublings(document: JsonObject): Doubling[] {
  const schemas = [...walk(document)].filter(({ kind }) => kind === 'schema').map(({ pointer }) => pointer)
  const inPlace = (pointer: string) => listInPlace(valueAt(document, pointer), pointer)
  const parts = (pointer: string) => listParts(valueAt(document, pointer), pointer)
  const next = (pointer: string) => [...inPlace(pointer), ...parts(pointer).map((part) => part.pointer)]
  return findCycles(schemas, next).flatMap((cycle) => {
    const inPlaceOf = (from: string) => inPlace(from).filter((to) => cycle.has(to))
    const partsOf = (from: string) => parts(from).filter((to) => cycle.has(to.pointer))
    for (const pointer of cycle) {
      const part = findRepeatedPart(pointer, inPlaceOf, partsOf)
      if (part !== undefined) return [{ pointer, part }]
    }
    return []
  })
}

/** Finds a part of a value that a schema, with the schemas that it applies in place, applies two schemas to. */
function findRepeatedPart(
  start: string,
  inPlace: (pointer: string) => readonly string[],
  listOwnParts: (pointer: string) => readonly PartSchema[],
): string | undefined {
  const seen = new Set<string>()
  const parts = new Set<string>()
  const rest = [start]
  for (let pointer = rest.pop(); pointer !== undefined; pointer = rest.pop()) {
    const before = new Set(parts)
    for (const { part, isRest } of listOwnParts(pointer)) {
      if (overlaps(part, isRest ? before : parts)) return part
      parts.add(part)
    }
    if (seen.has(pointer)) return 'all of it'
    seen.add(pointer)
    rest.push(...inPlace(pointer))
  }
  return undefined
}

/** Returns true if a part is, or may be, one of the others. */
function overlaps(part: string, others: ReadonlySet<string>): boolean {
  const any = part.startsWith('.') ? '.*' : '[*]'
  if (part !== any) return others.has(part) || others.has(any)
  return [...others].some((other) => other.startsWith(any.charAt(0)))
}

/** The keywords that apply schemas to parts, each with its parts. */
const KEYWORDS: readonly (readonly [keyword: string, partOf: (name: string) => string, isRest: boolean])[] = [
  ['properties', (name) => `.${name}`, false],
  ['patternProperties', () => '.*', false],
  ['prefixItems', (index) => `[${index}]`, false],
  ['additionalProperties', () => '.*', true],
  ['unevaluatedProperties', () => '.*', true],
  ['items', () => '[*]', true],
  ['unevaluatedItems', () => '[*]', true],
  ['contains', () => '[*]', false],
]

/** The keywords of which each member or item is a schema. */
const LISTS: readonly string[] = ['properties', 'patternProperties', 'prefixItems']

/** Returns the schemas that a schema applies to parts of a value, each with its part. */
function listParts(schema: unknown, pointer: string): PartSchema[] {
  if (!isObject(schema)) return []
  return KEYWORDS.flatMap(([keyword, partOf, isRest]) => {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null) return []
    const at = joinPointer(pointer, keyword)
    if (!LISTS.includes(keyword)) return [{ part: partOf(''), pointer: at, isRest }]
    return Object.keys(value).map((name) => ({ part: partOf(name), pointer: joinPointer(at, name), isRest }))
  })
}
