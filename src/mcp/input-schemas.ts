import { dereference } from '../contract/dereference.ts'
import { isObject, type JsonObject } from '../core/json.ts'

/** The arguments of a tool as JSON schemas, by their names. */
export type InputProperties = Record<string, JsonObject>

/** Returns the parameters of an operation of the control document as arguments. `names`: those to take. */
export function parametersOf(document: JsonObject, id: string, ...names: readonly string[]): InputProperties {
  const { parameters } = findOperation(document, id)
  const listed = (Array.isArray(parameters) ? parameters : []).filter(isObject)
  return Object.fromEntries(
    names.map((name) => {
      const parameter = listed.find((one) => one['name'] === name)
      if (!parameter) throw new Error(`the control document has no parameter ${name} of ${id}`)
      const { description, schema } = parameter
      return [name, { ...toInput(schema), ...(description !== undefined && { description }) }]
    }),
  )
}

/** Returns the members of the body of an operation of the control document as arguments. */
export function bodyOf(document: JsonObject, id: string): InputProperties {
  const schema = memberAt(findOperation(document, id), 'requestBody', 'content', 'application/json', 'schema')
  const members = Object.entries(memberAt(schema, 'properties'))
  return Object.fromEntries(members.map(([name, member]) => [name, toInput(member)]))
}

/** Finds an operation of the document, without references. */
function findOperation(document: JsonObject, id: string): JsonObject {
  const operations = Object.values(memberAt(document, 'paths')).flatMap((path) => Object.values(path ?? {}))
  const operation = operations.filter(isObject).find((one) => one['operationId'] === id)
  if (!operation) throw new Error(`the control document has no operation ${id}`)
  const { parameters = [], requestBody = {} } = operation
  return dereference(document, { parameters, requestBody })
}

function memberAt(value: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce<JsonObject>((found, name) => (isObject(found[name]) ? found[name] : {}), value)
}

/** Returns a schema without the format that only the simulator knows. */
function toInput(schema: unknown): JsonObject {
  const { format, ...others } = isObject(schema) ? schema : {}
  return format === undefined || format === 'iso-8601' ? others : { ...others, format }
}
