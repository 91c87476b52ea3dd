import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'

/** A document, read and compiled here once more and in the plainest way. */
interface Reading {
  readonly document: JsonObject
  readonly ajv: Ajv2020
}

const read = (file: string): JsonObject =>
  parse(readFileSync(new URL(`../../spec/${file}`, import.meta.url), 'utf8'))

/** Compiled by an ajv of our own, so that a mistake of the simulator's own reading cannot hide itself. */
function readingOf(document: JsonObject): Reading {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addFormat('iso-8601', true) // of requests only, which are not judged here
  ajv.addSchema(document, 'document')
  return { document, ajv }
}

const open = readingOf(read('openapi.yaml'))
const closed = readingOf(closedCopy(open.document))
const control = readingOf(read('control.openapi.yaml'))

/** What is wrong with an answer by the documented schema of its status; empty where nothing is. */
export function faultsOf(operationId: string, status: number, body: Json | undefined): string[] {
  return faultsBy(open, operationId, status, body)
}

/** The same for an answer of the control plane. */
export function controlFaultsOf(operationId: string, status: number, body: Json | undefined): string[] {
  return faultsBy(control, operationId, status, body)
}

function faultsBy(reading: Reading, operationId: string, status: number, body: Json | undefined): string[] {
  const validate = validatorOf(reading, operationId, status)
  if (!validate) return [`${operationId} documents no ${status}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** A rule of the schema that a body breaks, and the JSON pointer of the value that breaks it. */
export interface Broken {
  readonly keyword: string
  readonly at: string
}

/** Every rule that a body breaks. `strictly`: by a copy of the document in which no object has fields that it does not list. */
export function brokenRules(
  operationId: string,
  status: number,
  body: Json | undefined,
  { strictly = false } = {},
): Broken[] {
  const validate = validatorOf(strictly ? closed : open, operationId, status)
  if (!validate) throw new Error(`${operationId} documents no ${status}`)
  if (validate(body)) return []
  return (validate.errors ?? []).map(({ keyword, instancePath, params }) => {
    const name: unknown = params['missingProperty'] ?? params['additionalProperty']
    return { keyword, at: name === undefined ? instancePath : `${instancePath}/${name}` }
  })
}

/** The document with every object schema of its components closed to fields that it does not list. */
function closedCopy(source: JsonObject): JsonObject {
  const components = childOf(source, 'components')
  const schemas = Object.entries(childOf(components, 'schemas')).map(([name, one]) => [
    name,
    closedSchema(one),
  ])
  return { ...source, components: { ...components, schemas: Object.fromEntries(schemas) } }
}

function closedSchema(schema: Json): Json {
  if (!isObject(schema)) return schema
  const { properties, items } = schema
  const inner = isObject(properties)
    ? Object.entries(properties).map(([name, one]) => [name, closedSchema(one)])
    : undefined
  return {
    ...schema,
    ...(items !== undefined && { items: closedSchema(items) }),
    ...(inner && { properties: Object.fromEntries(inner), additionalProperties: false }),
  }
}

/** Every `operationId` with its documented statuses. */
export function documentedStatuses(): { operationId: string; statuses: number[] }[] {
  return operationsIn(open).map(({ operation, operationId }) => ({
    operationId,
    statuses: Object.keys(childOf(operation, 'responses')).map(Number),
  }))
}

/** Every operation of the control plane: its id, method and path, the statuses that are written out, and what a success is sent as. */
export function controlOperations() {
  return operationsIn(control).map(({ operation, operationId, pointer: [, path = '', method = ''] }) => {
    const responses = childOf(operation, 'responses')
    const statuses = Object.keys(responses).map(Number).filter(Number.isInteger)
    const content = childOf(childOf(responses, String(statuses[0])), 'content')
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      statuses,
      mediaTypes: Object.keys(content),
    }
  })
}

function validatorOf(reading: Reading, operationId: string, status: number): ValidateFunction | undefined {
  const found = operationsIn(reading).find((one) => one.operationId === operationId)
  if (!found) throw new Error(`no operation ${operationId} in the document`)
  const responses = childOf(found.operation, 'responses')
  const name = [String(status), `${Math.floor(status / 100)}XX`].find((one) => one in responses)
  if (name === undefined) return undefined
  const ref = childOf(responses, name)['$ref']
  const pointer = [...found.pointer, 'responses', name]
  const start = typeof ref === 'string' ? ref : `#${pointer.map((token) => `/${escaped(token)}`).join('')}`
  return reading.ajv.getSchema(`document${start}/content/application~1json/schema`)
}

function operationsIn({ document }: Reading) {
  return Object.entries(childOf(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!isObject(operation) || typeof operation['operationId'] !== 'string') return []
      return [{ operation, operationId: operation['operationId'], pointer: ['paths', path, method] }]
    }),
  )
}

function childOf(parent: JsonObject, name: string): JsonObject {
  const child = parent[name]
  if (isObject(child)) return child
  throw new Error(`the document has no ${name}`)
}

const escaped = (token: string) => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
