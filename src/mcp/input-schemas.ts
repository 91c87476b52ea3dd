import { dereference } from '../contract/dereference.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { listOf, objectOf } from './tool.ts'

/**
 * Returns the JSON schemas of a tool's arguments: of parameters of operations, and of all members of their bodies.
 * `parameterNames` has the parameters by operation, separated by spaces: `{ getReport: 'sandbox failOn' }`.
 */
export function readInput(
  document: JsonObject,
  parameterNames: Readonly<Record<string, string>>,
): Record<string, JsonObject> {
  const paths = Object.values(objectOf(document, 'paths')).filter(isObject)
  const operations = paths.flatMap((path) => Object.values(path).filter(isObject))
  const inputs = Object.entries(parameterNames).map(([id, names]) => {
    const { parameters = [], requestBody = {} } = operations.find((one) => one['operationId'] === id) ?? {}
    const operation = dereference(document, { parameters, requestBody })
    const chosen = listOf(operation, 'parameters').filter(({ name }) => names.split(' ').includes(String(name)))
    const content = objectOf(objectOf(operation, 'requestBody'), 'content')
    const members = objectOf(objectOf(objectOf(content, 'application/json'), 'schema'), 'properties')
    const schemas = chosen.map(({ name, schema, description = '' }) => [name, { description, ...toInput(schema) }])
    return [...schemas, ...Object.entries(members).map(([name, schema]) => [name, toInput(schema)])]
  })
  return Object.fromEntries(inputs.flat())
}

/** Returns a schema without the format `iso-8601`, which only the simulator knows. */
function toInput(schema: Json | undefined): JsonObject {
  const { format = 'iso-8601', ...others } = isObject(schema) ? schema : {}
  return format === 'iso-8601' ? others : { ...others, format }
}
