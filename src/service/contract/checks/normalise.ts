import type { JsonObject } from '../../../base/core/json.ts'
import { walk } from '../walk.ts'
import { type DocumentFault, warning } from './fault.ts'

/**
 * Changes schemas with `nullable: true` in place so that they allow null, and warns about each. OpenAPI 3.1 does not
 * define `nullable`, so validators would refuse the intended null. `nullable: false` is deleted without a warning.
 * Call this after `checkReferences`, and before any other reader of the schemas.
 */
export function normaliseSchemas(document: JsonObject): DocumentFault[] {
  const faults: DocumentFault[] = []
  // The list is complete before the first change, because a change adds members that the walk would visit.
  const schemas = [...walk(document)].filter(({ kind, value }) => kind === 'schema' && 'nullable' in value)
  for (const { pointer, value } of schemas) {
    const isNullable = value.nullable === true
    delete value.nullable
    if (!isNullable) continue
    allowNull(value)
    const message =
      '"nullable: true" means nothing in OpenAPI 3.1; read as if null were allowed. ' +
      'Write a list of types with null instead: type: [string, "null"]'
    faults.push(warning(`${pointer}/nullable`, message))
  }
  return faults
}

function allowNull(schema: JsonObject): void {
  const { $ref, allOf, anyOf, oneOf, const: constant } = schema
  if ([$ref, allOf, anyOf, oneOf].some((member) => member !== undefined)) {
    allowNullAsAlternative(schema)
    return
  }
  if (typeof schema.type === 'string') schema.type = [schema.type]
  if (Array.isArray(schema.type) && !schema.type.includes('null')) schema.type = [...schema.type, 'null']
  if (constant !== undefined) {
    schema.enum = [constant]
    delete schema.const
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null]
}

/** Replaces a schema by the choice between it and null, since its reference or combination could refuse null. */
function allowNullAsAlternative(schema: JsonObject): void {
  const moved: JsonObject = {}
  for (const [name, member] of Object.entries(schema)) {
    moved[name] = member
    delete schema[name]
  }
  schema.anyOf = [moved, { type: 'null' }]
}
