import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts'
import { applySimulatedValues } from '../../src/service/contract/simulated-values.ts'
import { bundledContract } from '../../src/service/fixtures/bundled.ts'
import { closeDocument } from './closed-document.ts'

/** A document with its own ajv. */
interface CompiledDocument {
  readonly document: JsonObject
  readonly ajv: Ajv2020
}

/** Compiles a document independently of the simulator, so that a fault of its own compiler is found. */
function compileDocument(document: JsonObject): CompiledDocument {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addFormat('iso-8601', true) // used in requests only, which are not validated here
  ajv.addSchema(document, 'document')
  return { document, ajv }
}

const open = compileDocument(parse(readFileSync(bundledContract, 'utf8')))
/** The document with its simulated values, which the simulator's responses keep, and which drift breaks. */
const simulated = applySimulatedValues(open.document, 'document') ?? open.document
const narrow = compileDocument(simulated)
const closed = compileDocument(closeDocument(simulated))

/** Returns the faults of a response by the documented schema of its status. Empty: none. */
export function faultsOf(operationId: string, status: number, body: Json | undefined): string[] {
  return [open, narrow].flatMap((reading) => findFaults(reading, operationId, status, body))
}

function findFaults(reading: CompiledDocument, operationId: string, status: number, body: Json | undefined): string[] {
  const validate = validatorOf(reading, operationId, status)
  if (!validate) return [`${operationId} documents no ${status}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** A schema keyword that a body violates. `at`: the JSON pointer of the violating value. */
export interface BrokenRule {
  readonly keyword: string
  readonly at: string
}

/**
 * Returns every rule that a body breaks, but for the list of values beside a type that is wrong already. `strictly`:
 * fields that the document does not list break one, too.
 */
export function brokenRules(
  operationId: string,
  status: number,
  body: Json | undefined,
  { strictly = false } = {},
): BrokenRule[] {
  const validate = validatorOf(strictly ? closed : narrow, operationId, status)
  if (!validate) throw new Error(`${operationId} documents no ${status}`)
  if (validate(body)) return []
  const broken = (validate.errors ?? []).map(({ keyword, instancePath, params }) => {
    const name: unknown = params['missingProperty'] ?? params['unevaluatedProperty']
    return { keyword, at: name === undefined ? instancePath : `${instancePath}/${name}` }
  })
  const mistyped = broken.filter(({ keyword }) => keyword === 'type').map(({ at }) => at)
  return broken.filter(({ keyword, at }) => !['enum', 'const'].includes(keyword) || !mistyped.includes(at))
}

function validatorOf(reading: CompiledDocument, operationId: string, status: number): ValidateFunction | undefined {
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

function operationsIn({ document }: CompiledDocument) {
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
