import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../src/json.ts'

/**
 * The service's document, read and compiled here once more and in the plainest way, so that a mistake of the
 * simulator's own reading cannot hide itself.
 */
const document: JsonObject = parse(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8'))

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addFormat('iso-8601', true) // of requests only, which are not judged here
ajv.addSchema(document, 'document')

/** What is wrong with an answer by the documented schema of its status; empty where nothing is. */
export function faultsOf(operationId: string, status: number, body: Json | undefined): string[] {
  const validate = validatorOf(operationId, status)
  if (!validate) return [`${operationId} documents no ${status}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Every `operationId` with its documented statuses. */
export function documentedStatuses(): { operationId: string; statuses: number[] }[] {
  return operationsIn().map(({ operation, operationId }) => ({
    operationId,
    statuses: Object.keys(childOf(operation, 'responses')).map(Number),
  }))
}

function validatorOf(operationId: string, status: number): ValidateFunction | undefined {
  const found = operationsIn().find((one) => one.operationId === operationId)
  if (!found) throw new Error(`no operation ${operationId} in the document`)
  const pointer = [...found.pointer, 'responses', String(status)]
  const response = childOf(childOf(found.operation, 'responses'), String(status), false)
  if (!response) return undefined
  const ref = response['$ref']
  const start = typeof ref === 'string' ? ref : `#${pointer.map((token) => `/${escaped(token)}`).join('')}`
  return ajv.getSchema(`document${start}/content/application~1json/schema`)
}

function operationsIn() {
  return Object.entries(childOf(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!isObject(operation) || typeof operation['operationId'] !== 'string') return []
      return [{ operation, operationId: operation['operationId'], pointer: ['paths', path, method] }]
    }),
  )
}

function childOf(parent: JsonObject, name: string): JsonObject
function childOf(parent: JsonObject, name: string, required: false): JsonObject | undefined
function childOf(parent: JsonObject, name: string, required = true): JsonObject | undefined {
  const child = parent[name]
  if (isObject(child)) return child
  if (required) throw new Error(`the document has no ${name}`)
  return undefined
}

const escaped = (token: string) => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
