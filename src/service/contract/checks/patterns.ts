import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { walk } from '../walk.ts'

/** The parts of a pattern that repeat and choose nothing: escapes but back references, classes, openings of groups. */
const fixedParts = /\\[^1-9k]|\[(?:\\.|[^\]\\])*\]?|(?<=\()\?(?::|<\w+>)/gs

/** A quantifier that allows several numbers of repetitions, or an alternative. */
const choices = /[*+?|]|\{\d+,|\\/g

/** Returns true for a document with a pattern that may take more than linear time, so that checks are timed. */
export function hasCostlyPattern(document: JsonObject): boolean {
  return [...walk(document)].some(({ kind, value }) => kind === 'schema' && listPatterns(value).some(mayBeCostly))
}

/** Returns the patterns of a schema, without those of the schemas within it. */
function listPatterns({ pattern, patternProperties }: JsonObject): string[] {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...names] : names
}

function mayBeCostly(pattern: string): boolean {
  const bare = pattern.replace(fixedParts, '')
  const count = bare.match(choices)?.length ?? 0
  return count > (bare.startsWith('^') ? 1 : 0)
}
