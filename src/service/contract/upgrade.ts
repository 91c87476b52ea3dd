/** Upgrades Swagger 2.0 and OpenAPI 3.0 to 3.1 in memory. */
import type { Json, JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { Origins } from '../../base/documents/origins.ts'
import type { Source } from '../../base/documents/source.ts'
import type { DocumentFlaw } from './checks/flaw.ts'
import { listOperations } from './operation.ts'
import { resolve } from './resolve.ts'

/** Pointers in OpenAPI 3, each with the pointer to the same content in Swagger 2.0. */
const SWAGGER_POINTERS = [
  ['/components/schemas', '/definitions'],
  ['/components/securitySchemes', '/securityDefinitions'],
  ['/servers', '/basePath'],
  ['/openapi', '/swagger'],
] as const

/**
 * Returns the source and the document, with a note if they were upgraded to 3.1. For 3.0, only the version is set here;
 * `normalizeSchemas` upgrades the schemas, since the Scalar library would change properties named `example`.
 */
export async function upgrade(source: Source, document: JsonObject) {
  const { swagger, openapi } = document
  if (/^3\.[12]/.test(String(openapi))) return { source, document, note: undefined }
  const name = swagger === undefined ? `OpenAPI ${openapi}` : 'Swagger 2.0'
  const message = `is ${name} and was upgraded to 3.1 in memory; the file was not changed`
  const note: DocumentFlaw = { severity: 'info', pointer: '/openapi', message }
  if (swagger === undefined) return { source, document: Object.assign(document, { openapi: '3.1.0' }), note }
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  const upgraded = upgradeFromTwoToThree(prepareSwagger(document)) as JsonObject
  const origins = new Origins(source)
  for (const [target, pointer] of SWAGGER_POINTERS) origins.set(target, { source, pointer })
  return { source: { ...source, locate: origins.locate }, document: { ...upgraded, openapi: '3.1.0' }, note }
}

/**
 * Returns a copy that works around gaps and bugs in the library. Each operation in the copy contains its parameters,
 * responses and media types, without references or inherited values. Form fields become properties of one body.
 */
function prepareSwagger(document: JsonObject): JsonObject {
  const { parameters: _, responses: __, produces: ___, ...others } = document
  const paths: JsonObject = {}
  for (const { path, method, item } of listOperations(document))
    paths[path] = { ...(paths[path] as JsonObject), [method]: prepareOperation(document, item, method) }
  return { ...others, paths }
}

function prepareOperation(document: JsonObject, item: string, method: string): JsonObject {
  const pointer = joinPointer(item, method)
  const operation = resolve(document, pointer)?.value ?? {}
  const listed = [item, pointer].flatMap((owner) => listMembers(document, joinPointer(owner, 'parameters')))
  const byName = new Map(listed.map(([, parameter]) => [`${parameter.in} ${parameter.name}`, parameter]))
  const parameters = [...byName.values()].filter((parameter) => typeof parameter.in === 'string')
  const fields = parameters.filter((parameter) => parameter.in === 'formData')
  const others = parameters.filter((parameter) => !fields.includes(parameter))
  const find = (name: string) =>
    [operation[name], document[name]].find((list) => Array.isArray(list) && list.length > 0) ?? ['application/json']
  return structuredClone({
    ...operation,
    produces: find('produces'),
    consumes: fields.length > 0 ? listFormTypes(find('consumes'), fields) : find('consumes'),
    parameters: fields.length > 0 ? [...others, toBody(fields)] : others,
    responses: Object.fromEntries(listMembers(document, joinPointer(pointer, 'responses'))),
  })
}

/** Returns the name and the resolved object of each member of a list or map, except extensions (`x-`). */
function listMembers(document: JsonObject, pointer: string): [name: string, JsonObject][] {
  return Object.keys(valueAt(document, pointer) ?? {}).flatMap((name) => {
    const member = resolve(document, joinPointer(pointer, name))
    return member && !name.startsWith('x-') ? [[name, member.value]] : []
  })
}

function listFormTypes(consumes: Json, fields: readonly JsonObject[]): Json[] {
  const types = [consumes].flat().filter((type) => /form/.test(String(type)))
  if (types.length > 0) return types
  return [fields.some(({ type }) => type === 'file') ? 'multipart/form-data' : 'application/x-www-form-urlencoded']
}

function toBody(fields: readonly JsonObject[]): JsonObject {
  const required = fields.filter((field) => field.required === true).map(({ name }) => String(name))
  const properties = fields.map(({ in: _, name, required: __, collectionFormat: ___, ...schema }) => [name, schema])
  const schema = { type: 'object', required, properties: Object.fromEntries(properties) }
  return { in: 'body', name: 'form', required: required.length > 0, schema }
}
