import { isObject, type Json } from '../../../src/base/core/json.ts'
import { joinPointer } from '../../../src/base/core/json-pointer.ts'
import { controlAliases } from '../../../src/service/exchange/control-aliases.ts'
import { controlContract } from '../../../src/service/fixtures/bundled.ts'
import { closeDocument } from '../closed-document.ts'
import { CompiledDocument, type DocumentedOperation, readDocument } from '../compiled-document.ts'

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
  /** The body; undefined if it is not JSON, or was not sent completely. */
  readonly text?: string
}

/**
 * Creates the check of responses against `spec/control.openapi.yaml`. It returns the fault, if any, of a
 * response.
 */
export function createResponseCheck(): (response: RecordedResponse) => string | undefined {
  const document = new CompiledDocument(closeDocument(readDocument(controlContract)))
  const operations = document.operations.map((one) => ({ ...one, pattern: patternOf(one.path) }))
  return (response) => {
    if (isPreflight(response) || isOfService(response)) return undefined
    const operation = findOperation(operations, response)
    if (!operation) return isFileOrRefusal(response) ? findErrorFault(document, response) : 'no operation'
    const documented = document.findResponse(operation.pointer, response.status)
    if (documented === undefined) return `undocumented status ${response.status}`
    return findHeaderFault(document, documented, response) ?? findContentFault(document, documented, response)
  }
}

/** Returns the rules of the schema at a pointer that a value breaks, or undefined if it breaks none. */
function findFault(document: CompiledDocument, schema: string, value: Json): string | undefined {
  const validate = document.validatorAt(schema)
  if (!validate) return `the document has no schema at ${schema}`
  if (validate(value)) return undefined
  return (validate.errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')
}

/** Returns true for the response to a CORS preflight request. */
const isPreflight = ({ method, status }: RecordedResponse) => method === 'OPTIONS' && status === 204

/** Returns true for a response of the simulated service, at an alias path that the contract documents itself. */
const isOfService = ({ target, headers }: RecordedResponse) =>
  headers['x-sim-origin'] !== undefined && !/^\/__(sim|admin)\b/i.test(target)

/** Returns true for undocumented responses: files of the console, and refusals of unknown paths. */
const isFileOrRefusal = ({ status, text }: RecordedResponse) => status >= 400 || text === undefined

function findErrorFault(document: CompiledDocument, { status, text = '' }: RecordedResponse): string | undefined {
  return status >= 400 && text !== '' ? findFault(document, '/components/schemas/Error', JSON.parse(text)) : undefined
}

/** Finds a documented header that has a wrong value, or that is required and missing. */
function findHeaderFault(document: CompiledDocument, response: string, { headers }: RecordedResponse) {
  const pointer = joinPointer(response, 'headers')
  for (const [name, header] of Object.entries(document.objectAt(pointer))) {
    const value = headers[name.toLowerCase()]
    const isMissing = value === undefined && isObject(header) && header['required'] === true
    const fault = value === undefined ? undefined : findFault(document, joinPointer(pointer, name, 'schema'), value)
    if (isMissing || fault !== undefined) return `header ${name} ${fault ?? 'is missing'}`
  }
  return undefined
}

function findContentFault(document: CompiledDocument, documented: string, response: RecordedResponse) {
  const content = document.at(joinPointer(documented, 'content'))
  const mediaType = (response.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  if (content === undefined) return response.size > 0 ? 'a body that is not documented' : undefined
  if (!isObject(content) || !(mediaType in content)) return `undocumented media type "${mediaType}"`
  if (response.method === 'HEAD' || response.text === undefined) return undefined
  if (response.text === '') return 'no body'
  return findFault(document, joinPointer(documented, 'content', mediaType, 'schema'), JSON.parse(response.text))
}

const patternOf = (path: string) => new RegExp(`^/__sim${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)

type Matched = DocumentedOperation & { readonly pattern: RegExp }

/** Finds the operation of a request; one without path parameters takes precedence. */
function findOperation(operations: readonly Matched[], { method, target }: RecordedResponse) {
  const [sent = ''] = target.split('?', 1)
  const path = controlAliases.get(sent.toLowerCase().replace(/\/$/, '')) ?? sent
  const documented = method === 'HEAD' ? 'GET' : method
  const found = operations.filter((one) => one.method === documented && one.pattern.test(path))
  return found.find((one) => !one.path.includes('{')) ?? found[0]
}
