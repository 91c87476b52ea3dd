import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../../src/base/core/json.ts'
import { joinPointer, valueAt } from '../../../src/base/core/json-pointer.ts'
import { controlAliases } from '../../../src/service/exchange/control-aliases.ts'
import { controlContract } from '../../../src/service/fixtures/bundled.ts'
import { closeDocument } from '../closed-document.ts'

/** A response of the control plane as `record.cjs` writes it. */
export interface RecordedResponse {
  readonly method: string
  /** The path with the query, as it was sent. */
  readonly target: string
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body. */
  readonly size: number
  /** The body; undefined if it is no JSON, or was not sent whole. */
  readonly text?: string
}

/** Returns the rules of a schema of the document that a value breaks, or undefined if it breaks none. */
type FindFault = (schema: string, value: Json) => string | undefined

/** A documented operation: its place, and its path as a pattern. */
interface DocumentedOperation {
  readonly method: string
  readonly pattern: RegExp
  readonly pointer: string
  readonly isTemplate: boolean
}

/**
 * Creates the check of responses against `spec/control.openapi.yaml`; it returns the fault of a response, undefined for
 * none. It compiles the document by itself, independently of the simulator, each schema when it is first needed.
 */
export function createResponseCheck(): (response: RecordedResponse) => string | undefined {
  const document = closeDocument(parse(readFileSync(controlContract, 'utf8')))
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'iso-8601': true } })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const operations = listOperations(document)
  const at = (pointer: string) => valueAt(document, pointer)
  const findFault: FindFault = (schema, value) => {
    const validate = ajv.getSchema(`document#${encodeURI(schema)}`)
    if (!validate) return `the document has no schema at ${schema}`
    if (validate(value)) return undefined
    return (validate.errors ?? [])
      .slice(0, 3)
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ')
  }
  return (response) => {
    if (isPreflight(response) || isOfService(response)) return undefined
    const operation = findOperation(operations, response)
    if (!operation) return isFileOrRefusal(response) ? findErrorFault(response, findFault) : 'no operation'
    const documented = findResponse(at, operation.pointer, response.status)
    if (documented === undefined) return `undocumented status ${response.status}`
    return findHeaderFault(at, documented, response, findFault) ?? findContentFault(at, documented, response, findFault)
  }
}

/** Returns true for the response to a preflight of a browser, which belongs to CORS. */
const isPreflight = ({ method, status }: RecordedResponse) => method === 'OPTIONS' && status === 204

/** Returns true for a response of the simulated service, at a path that a contract has taken from the control plane. */
const isOfService = ({ target, headers }: RecordedResponse) =>
  headers['x-sim-origin'] !== undefined && !/^\/__(sim|admin)\b/i.test(target)

/** Returns true for what the document does not describe: files of the console, and refusals of unknown paths. */
const isFileOrRefusal = ({ status, text }: RecordedResponse) => status >= 400 || text === undefined

function findErrorFault({ status, text = '' }: RecordedResponse, findFault: FindFault): string | undefined {
  return status >= 400 && text !== '' ? findFault('/components/schemas/Error', JSON.parse(text)) : undefined
}

/** Returns the pointer of a documented response, or undefined if the status is not documented. */
function findResponse(at: (pointer: string) => Json | undefined, operation: string, status: number) {
  const pointers = [String(status), `${Math.floor(status / 100)}XX`].map((name) =>
    joinPointer(operation, 'responses', name),
  )
  const pointer = pointers.find((one) => at(one) !== undefined)
  const response = pointer === undefined ? undefined : at(pointer)
  const ref = isObject(response) ? response['$ref'] : undefined
  return typeof ref === 'string' ? ref.slice(1) : pointer
}

/** Finds a documented header that has a wrong value, or that is required and missing. */
function findHeaderFault(
  at: (pointer: string) => Json | undefined,
  response: string,
  { headers }: RecordedResponse,
  findFault: FindFault,
): string | undefined {
  const pointer = joinPointer(response, 'headers')
  const documented = at(pointer)
  for (const [name, header] of Object.entries(isObject(documented) ? documented : {})) {
    const value = headers[name.toLowerCase()]
    const isMissing = value === undefined && isObject(header) && header['required'] === true
    const fault = value === undefined ? undefined : findFault(joinPointer(pointer, name, 'schema'), value)
    if (isMissing || fault !== undefined) return `header ${name} ${fault ?? 'is missing'}`
  }
  return undefined
}

function findContentFault(
  at: (pointer: string) => Json | undefined,
  documented: string,
  response: RecordedResponse,
  findFault: FindFault,
): string | undefined {
  const content = at(joinPointer(documented, 'content'))
  const mediaType = (response.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  if (content === undefined) return response.size > 0 ? 'a body that is not documented' : undefined
  if (!isObject(content) || !(mediaType in content)) return `undocumented media type "${mediaType}"`
  if (response.method === 'HEAD' || response.text === undefined) return undefined
  if (response.text === '') return 'no body'
  return findFault(joinPointer(documented, 'content', mediaType, 'schema'), JSON.parse(response.text))
}

/** Lists the operations; those without path parameters come first, since they take precedence. */
function listOperations(document: JsonObject): DocumentedOperation[] {
  const paths = isObject(document['paths']) ? document['paths'] : {}
  return Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.keys(isObject(item) ? item : {}).map((method) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^/__sim${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
        pointer: joinPointer('/paths', path, method),
        isTemplate: path.includes('{'),
      })),
    )
    .sort((one, other) => Number(one.isTemplate) - Number(other.isTemplate))
}

function findOperation(operations: readonly DocumentedOperation[], { method, target }: RecordedResponse) {
  const [sent = ''] = target.split('?', 1)
  const path = controlAliases.get(sent.toLowerCase().replace(/\/$/, '')) ?? sent
  const asked = method === 'HEAD' ? 'GET' : method
  return operations.find((operation) => operation.method === asked && operation.pattern.test(path))
}
