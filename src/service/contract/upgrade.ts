/** Upgrades Swagger 2.0 and OpenAPI 3.0 to 3.1 in memory. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import type { Source } from '../../base/documents/source.ts'
import type { DocumentFault } from './checks/fault.ts'
import { resolve } from './resolve.ts'
import { METHODS } from './walk.ts'

/** Where Swagger 2.0 has the members that OpenAPI 3 has elsewhere. */
const SWAGGER_PLACES = [
  ['/components/schemas', '/definitions'],
  ['/components/securitySchemes', '/securityDefinitions'],
  ['/servers', '/basePath'],
  ['/openapi', '/swagger'],
] as const

/**
 * Returns the upgraded document, and a note unless it is 3.1 or 3.2 already. What is left of 3.0 is in its schemas, and changed by `normaliseSchemas`: it knows
 * which objects are schemas, whereas the library would change data and properties with the name of a keyword, too.
 */
export async function upgrade(source: Source, document: JsonObject) {
  const version = document.swagger ?? document.openapi
  if (/^3\.[12]/.test(String(version))) return { source, document, note: undefined }
  const message = `is ${document.swagger ? 'Swagger' : 'OpenAPI'} ${version}, and was upgraded to 3.1 in memory; the file stays as it is`
  const note: DocumentFault = { severity: 'info', pointer: '/openapi', message }
  if (version !== '2.0') return { source, document: Object.assign(document, { openapi: '3.1.0' }), note }
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  const upgraded = upgradeFromTwoToThree(prepareSwagger(document)) as JsonObject
  const place = (pointer: string) => {
    const [now, then] = SWAGGER_PLACES.find(([prefix]) => `${pointer}/`.startsWith(`${prefix}/`)) ?? ['', '']
    return source.place(then + pointer.slice(now.length))
  }
  return { source: { ...source, place }, document: { ...upgraded, openapi: '3.1.0' }, note }
}

/**
 * Returns a copy with the parts that the library leaves out or mixes up: each operation has its own parameters,
 * responses and media types instead of references and defaults, and forms are a body with all rules of their fields.
 */
function prepareSwagger(document: JsonObject): JsonObject {
  const { parameters: _, responses: __, ...others } = document
  const paths = Object.keys(isObject(document.paths) ? document.paths : {}).map((path) => {
    const item = resolve(document, joinPointer('/paths', path))
    const methods = METHODS.filter((method) => isObject(item?.value[method]))
    return [path, Object.fromEntries(methods.map((method) => [method, prepareOperation(document, item, method)]))]
  })
  return { ...others, paths: Object.fromEntries(paths) }
}

function prepareOperation(document: JsonObject, item: { pointer: string } | undefined, method: string): JsonObject {
  const pointer = joinPointer(item?.pointer ?? '', method)
  const operation = resolve(document, pointer)?.value ?? {}
  const own = listMembers(document, joinPointer(pointer, 'parameters')).map(([, parameter]) => parameter)
  const shared = listMembers(document, joinPointer(item?.pointer ?? '', 'parameters')).map(([, one]) => one)
  const isOwn = (one: JsonObject) => own.some((other) => other.name === one.name && other.in === one.in)
  const parameters = [...own, ...shared.filter((one) => !isOwn(one))].filter((one) => typeof one.in === 'string')
  const fields = parameters.filter((parameter) => parameter.in === 'formData')
  const isFilled = (list: Json | undefined) => Array.isArray(list) && list.length > 0
  const [produces, consumes] = ['produces', 'consumes'].map((name) => [operation[name], document[name]].find(isFilled))
  const formType = fields.some(({ type }) => type === 'file')
    ? 'multipart/form-data'
    : 'application/x-www-form-urlencoded'
  return structuredClone({
    ...operation,
    produces: produces ?? ['application/json'],
    consumes: fields.length > 0 && !/form/.test(String(consumes)) ? [formType] : (consumes ?? ['application/json']),
    parameters: [...parameters.filter((one) => one.in !== 'formData'), ...(fields.length > 0 ? [toBody(fields)] : [])],
    responses: Object.fromEntries(listMembers(document, joinPointer(pointer, 'responses'))),
  })
}

/** Returns the objects of a list or map, references resolved, with their names. */
function listMembers(document: JsonObject, pointer: string): [name: string, JsonObject][] {
  return Object.keys(valueAt(document, pointer) ?? {}).flatMap((name) => {
    const member = resolve(document, joinPointer(pointer, name))
    return member && !name.startsWith('x-') ? [[name, member.value]] : []
  })
}

function toBody(fields: readonly JsonObject[]): JsonObject {
  const required = fields.filter((field) => field.required === true).map(({ name }) => String(name))
  const properties = fields.map(({ in: _, name, required: __, collectionFormat: ___, ...schema }) => [name, schema])
  const schema = { type: 'object', required, properties: Object.fromEntries(properties) }
  return { in: 'body', name: 'form', required: required.length > 0, schema }
}
