import { isObject, type JsonObject } from '../../core/json.ts'
import { walk } from '../walk.ts'

/** A regular expression of a schema, with the names of the members that lead to it. */
interface SchemaPattern {
  readonly pattern: string
  readonly at: readonly string[]
}

/** The parts of a pattern that repeat and choose nothing: escapes but back references, classes, openings of groups. */
const fixedParts = /\\[^1-9k]|\[(?:\\.|[^\]\\])*\]?|(?<=\()\?(?::|<\w+>)/gs

/** A quantifier that allows several numbers of repetitions, or an alternative. */
const choices = /[*+?|]|\{\d+,|\\/g

/** Returns true for a document with a pattern that may take more than linear time, so that checks are timed. */
export function hasCostlyPattern(document: JsonObject): boolean {
  return [...walk(document)].some(({ kind, value }) => kind === 'schema' && listPatterns(value).some(mayBeCostly))
}

/** Returns the patterns of a schema with their places in it, without those of the schemas within it. */
export function listPatterns({ pattern, patternProperties }: JsonObject): SchemaPattern[] {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
  const own = typeof pattern === 'string' ? [{ pattern, at: ['pattern'] }] : []
  return [...own, ...names.map((name) => ({ pattern: name, at: ['patternProperties', name] }))]
}

function mayBeCostly({ pattern }: SchemaPattern): boolean {
  const bare = pattern.replace(fixedParts, '')
  const count = bare.match(choices)?.length ?? 0
  return count > (bare.startsWith('^') ? 1 : 0)
}

/** The beginning of a group, its end with the quantifier after it, and any other quantifier. */
const groupsAndRepetitions = /\(|(\)?)([*+]|\{\d+,\d*\})|\)/g

/** Returns true for a pattern with nested repetitions, such as `(a+)+`, which can take exponential time. */
export function hasNestedRepetition(pattern: string): boolean {
  const outer: boolean[] = []
  let repeats = false
  for (const [token, end = token, quantifier] of pattern.replace(fixedParts, '').matchAll(groupsAndRepetitions)) {
    if (token === '(') {
      outer.push(repeats)
      repeats = false
    } else {
      if (end === ')' && quantifier && repeats) return true
      const isAround = end === ')' && outer.pop() === true
      repeats = isAround || repeats || quantifier !== undefined
    }
  }
  return false
}
