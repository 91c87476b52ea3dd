import type { JsonObject } from '../../../base/core/json.ts'
import { walk } from '../walk.ts'
import { type DocumentFault, warning } from './fault.ts'

/**
 * Changes schemas with `nullable: true` in place so that they allow null, and warns about each. OpenAPI 3.1 does not
 * define `nullable`, so validators would refuse the intended null. `nullable: false` is deleted without a warning.
 * Call this after `checkReferences`, and before any other reader of the schemas.
 */
export function normaliseSchemas(document: JsonObject): DocumentFault[] {
  // The list is complete before the first change, because a change adds members that the walk would visit.
  const schemas = [...walk(document)].filter(({ kind, value }) => kind === 'schema' && 'nullable' in value)
  return schemas.flatMap(({ pointer, value }) => {
    const isNullable = value.nullable === true
    delete value.nullable
    if (!isNullable) return []
    allowNull(value)
    const message =
      '"nullable: true" means nothing in OpenAPI 3.1; read as if null were allowed. ' +
      'Write a list of types with null instead: type: [string, "null"]'
    return [warning(`${pointer}/nullable`, message)]
  })
}

function allowNull(schema: JsonObject): void {
  if (['$ref', 'allOf', 'anyOf', 'oneOf'].some((name) => name in schema)) {
    // A reference or combination could refuse null, so the schema becomes the choice between itself and null.
    const moved = { ...schema }
    for (const name of Object.keys(schema)) delete schema[name]
    schema.anyOf = [moved, { type: 'null' }]
    return
  }
  const values = 'const' in schema ? [schema.const ?? null] : schema.enum
  delete schema.const
  if (Array.isArray(values)) schema.enum = [...new Set([...values, null])]
  if (schema.type !== undefined) schema.type = [...new Set([schema.type, 'null'].flat())]
}
