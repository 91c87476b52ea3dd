import { isObject, type JsonObject } from '../../base/core/json.ts'
import { mapNodes, type NodeKind } from './walk.ts'

/**
 * The keyword for narrower rules in a schema, such as `x-simulated-values: { minimum: 0, maximum: 1 }`. The published
 * schema accepts every response that the service can return; the simulator's own responses follow the narrower rules.
 */
export const simulatedValues = 'x-simulated-values'

/** Returns a copy with the rules in `x-simulated-values` added to their schemas, overriding rules of the same name. */
export function applySimulatedValues(value: JsonObject, kind: NodeKind): JsonObject {
  const { [simulatedValues]: rules, ...others } = value
  const applied = kind === 'schema' && isObject(rules) ? { ...others, ...rules } : value
  return mapNodes(kind, applied, (inner, part) => applySimulatedValues(part, inner))
}
