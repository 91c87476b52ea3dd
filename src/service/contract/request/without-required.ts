import type { JsonObject } from '../../../base/core/json.ts'
import { listSchemaParts } from '../schema-parts.ts'
import { walk } from '../walk.ts'
import { Shape } from './shape.ts'

/**
 * Returns a copy of a document whose schemas do not require properties with a keyword: a request need not have those
 * that are `readOnly`, nor a response those that are `writeOnly`. Returns the document itself if it has none.
 */
export function withoutRequired(document: JsonObject, keyword: 'readOnly' | 'writeOnly'): JsonObject {
  const isMarked = ({ value }: { readonly value: JsonObject }) => value[keyword] === true
  if (![...walk(document)].some(isMarked)) return document
  const copy = structuredClone(document)
  for (const { kind, value } of walk(copy)) {
    const parts = kind === 'schema' ? listSchemaParts(value).filter(({ required }) => Array.isArray(required)) : []
    const shape = parts.length > 0 ? new Shape(copy, [value]) : undefined
    for (const part of parts)
      part.required = [part.required ?? []].flat().filter((name) => !shape?.member(String(name)).has(keyword))
  }
  return copy
}
