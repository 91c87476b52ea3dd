import type { JsonObject } from '../../../base/core/json.ts'
import { listSchemas } from '../walk.ts'
import { type DocumentFlaw, warning } from './flaw.ts'

/**
 * Converts older keywords in schemas, such as `nullable: true` and `exclusiveMinimum: true`, to OpenAPI 3.1, in place.
 * Returns a warning for each conversion. OpenAPI 3.1 does not define `nullable`, so without the conversion, validators
 * would reject null. This function must run after `bundleReferences`, and before the schemas are checked or compiled.
 */
export function normalizeSchemas(document: JsonObject): DocumentFlaw[] {
  // The schemas are listed before the first change, because changes add schemas.
  return listSchemas(document).flatMap(({ pointer, value }) => {
    const flaws = ['Minimum', 'Maximum'].flatMap((bound) => excludeBound({ pointer, value }, bound))
    const names = ['nullable', 'x-nullable']
    const nullable = names.find((name) => value[name] === true)
    for (const name of names) delete value[name]
    if (nullable === undefined) return flaws
    allowNull(value)
    const message =
      `"${nullable}: true" is not defined in OpenAPI 3.1 and is treated as allowing null. ` +
      'Write a list of types with null instead, such as type: [string, "null"]'
    return [...flaws, warning(`${pointer}/${nullable}`, message)]
  })
}

function excludeBound({ pointer, value }: { pointer: string; value: JsonObject }, bound: string): DocumentFlaw[] {
  const [inclusive, exclusive] = [bound.toLowerCase(), `exclusive${bound}`]
  const { [inclusive]: limit, [exclusive]: isExcluded } = value
  if (typeof isExcluded !== 'boolean') return []
  delete value[exclusive]
  if (!isExcluded || limit === undefined) return []
  delete value[inclusive]
  value[exclusive] = limit
  return [warning(`${pointer}/${exclusive}`, `"${exclusive}: true" (OpenAPI 3.0) is read as "${exclusive}: ${limit}"`)]
}

function allowNull(schema: JsonObject): void {
  if (['$ref', 'allOf', 'anyOf', 'oneOf'].some((name) => name in schema)) {
    // A reference or combination could reject null, so the schema becomes a choice between its content and null.
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
