import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { type DocumentNode, walk } from '../walk.ts'

/** The largest number of objects of a schema whose references are replaced by their targets. */
const MAX_EXPANDED = 20_000

/**
 * Checks that each schema of a body or parameter has a bounded expansion: 20 schemas that each refer twice to the next one expand to a
 * million. It needs correct references, so it runs after `checkReferences`.
 */
export function checkExpansion(document: JsonObject, source: Source): Finding[] {
  return [...walk(document)].filter(hasSchema).flatMap(({ pointer, value }): Finding[] => {
    if (countExpanded(document, value.schema ?? null) <= MAX_EXPANDED) return []
    const message =
      `expands to more than ${MAX_EXPANDED} parts when each $ref is replaced by its schema; ` +
      'refer to fewer schemas from each other, or leave a part open ("type: object")'
    return [{ severity: 'error', place: source.place(joinPointer(pointer, 'schema')), message }]
  })
}

const hasSchema = ({ kind, value }: DocumentNode) =>
  ['mediaType', 'parameter', 'header'].includes(kind) && value.schema !== undefined

/** Counts the objects of a schema as `dereference` expands it, and ends soon after `MAX_EXPANDED`. */
function countExpanded(document: JsonObject, schema: Json): number {
  let count = 0
  const visit = (value: Json, expanding: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || count > MAX_EXPANDED) return
    count += 1
    for (const member of Object.values(value)) visit(member, expanding)
    const target = isObject(value) ? referenceOf(value) : undefined
    if (target !== undefined && !expanding.includes(target))
      visit(valueAt(document, target) ?? null, [...expanding, target])
  }
  visit(schema, [])
  return count
}

function referenceOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? parseReference($ref) : undefined
}
