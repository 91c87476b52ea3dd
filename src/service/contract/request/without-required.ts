import type { JsonObject } from '../../../base/core/json.ts'
import { listSchemaParts } from '../schema-parts.ts'
import { listSchemas } from '../walk.ts'
import { Shape } from './shape.ts'

/** Returns a copy of a document whose schemas do not require `readOnly`, or `writeOnly`, properties. */
export function withoutRequired(document: JsonObject, keyword: 'readOnly' | 'writeOnly'): JsonObject {
  const copy = structuredClone(document)
  for (const { value } of listSchemas(copy)) {
    const parts = listSchemaParts(value).filter(({ required }) => Array.isArray(required))
    const shape = parts.length > 0 ? new Shape(copy, [value]) : undefined
    for (const part of parts)
      part.required = [part.required ?? []].flat().filter((name) => !shape?.member(String(name)).has(keyword))
  }
  return copy
}
