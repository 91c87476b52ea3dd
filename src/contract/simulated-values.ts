import { isObject, type JsonObject } from '../core/json.ts'
import { walk } from './walk.ts'

/**
 * The keyword beside an open schema with narrower rules: `x-simulated-values: { minimum: 0, maximum: 1 }`. The
 * published schema accepts whatever the service may answer; the simulator's own answers keep the narrower rules.
 */
export const simulatedValues = 'x-simulated-values'

/**
 * Returns a copy of the document in which simulated values replace the rules of the same name, or undefined if no
 * schema has any. The copy lacks descriptions and assumptions, since validators hold a copy of their schemas for
 * errors.
 */
export function narrowDocument(document: JsonObject): JsonObject | undefined {
  const hasAny = [...walk(document)].some(({ kind, value }) => kind === 'schema' && isObject(value[simulatedValues]))
  if (!hasAny) return undefined
  const narrow = structuredClone(document)
  for (const { kind, value } of [...walk(narrow)]) if (kind === 'schema') narrowInPlace(value)
  return narrow
}

function narrowInPlace(schema: JsonObject): void {
  const rules = schema[simulatedValues]
  for (const name of [simulatedValues, 'x-assumption', 'description']) delete schema[name]
  if (isObject(rules)) Object.assign(schema, rules)
}

/** Returns a schema whose simulated values replace its rules of the same name; the schema itself if it has none. */
export function narrowSchema(schema: JsonObject): JsonObject {
  const narrow = narrowDocument({ components: { schemas: { schema } } })
  const components = narrow?.components
  const schemas = isObject(components) ? components.schemas : undefined
  return isObject(schemas) && isObject(schemas.schema) ? schemas.schema : schema
}
