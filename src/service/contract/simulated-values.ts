import { isObject, type JsonObject } from '../../base/core/json.ts'
import { walk } from './walk.ts'

/**
 * The keyword beside an open schema with narrower rules: `x-simulated-values: { minimum: 0, maximum: 1 }`. The
 * published schema accepts whatever the service may respond; the simulator's own responses keep the narrower rules.
 */
export const simulatedValues = 'x-simulated-values'

/**
 * Returns a copy of a document or schema in which simulated values replace the rules of the same name, or undefined if
 * no schema has any. The copy lacks descriptions and assumptions, since validators hold a copy of their schemas for
 * errors.
 */
export function applySimulatedValues(root: JsonObject, kind: 'document' | 'schema'): JsonObject | undefined {
  const listSchemas = (value: JsonObject) => [...walk(value, kind)].filter((node) => node.kind === 'schema')
  if (!listSchemas(root).some(({ value }) => isObject(value[simulatedValues]))) return undefined
  const copy = structuredClone(root)
  for (const { value } of listSchemas(copy)) {
    const rules = value[simulatedValues]
    for (const name of [simulatedValues, 'x-assumption', 'description']) delete value[name]
    if (isObject(rules)) Object.assign(value, rules)
  }
  return copy
}
