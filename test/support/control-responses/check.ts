import { isObject, type Json } from '../../../src/base/core/json.ts'
import { joinPointer } from '../../../src/base/core/json-pointer.ts'
import { controlAliases } from '../../../src/service/exchange/control-aliases.ts'
import { controlContract } from '../../../src/service/fixtures/bundled.ts'
import { closeDocument } from '../closed-document.ts'
import { CompiledDocument, type DocumentedOperation, readDocument } from '../compiled-document.ts'

/** A control-plane response as `record.cjs` records it. */
export interface RecordedResponse {
  readonly method: string
  /** The path and the query as they were sent. */
  readonly target: string
  readonly status: number
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The size of the body in bytes. */
  readonly size: number
  /** The body, or undefined if the body is not JSON or was not sent completely. */
  readonly text?: string
}

/**
 * Creates a function that checks a response against `spec/control.openapi.yaml`. The function returns a description of
 * the problem, or undefined if there is none.
 */
export function createResponseCheck(): (response: RecordedResponse) => string | undefined {
  const document = new CompiledDocument(closeDocument(readDocument(controlContract)))
  const operations = document.operations.map((operation) => ({ ...operation, pattern: patternOf(operation.path) }))
  return (response) => {
    if (isPreflight(response) || isFromService(response)) return undefined
    const operation = findOperation(operations, response)
    if (!operation) return isFileOrRefusal(response) ? findErrorProblem(document, response) : 'undocumented operation'
    const pointer = document.findResponse(operation.pointer, response.status)
    if (pointer === undefined) return `undocumented status ${response.status}`
    return findHeaderProblem(document, pointer, response) ?? findContentProblem(document, pointer, response)
  }
}

function findProblem(document: CompiledDocument, schemaPointer: string, value: Json): string | undefined {
  const validate = document.validatorAt(schemaPointer)
  if (!validate) return `the document has no schema at ${schemaPointer}`
  if (validate(value)) return undefined
  return (validate.errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')
}

const isPreflight = ({ method, status }: RecordedResponse) => method === 'OPTIONS' && status === 204

/** Returns true for a response from the simulated service, whose paths take precedence over aliases like `/metrics`. */
const isFromService = ({ target, headers }: RecordedResponse) =>
  headers['x-sim-origin'] !== undefined && !/^\/__(sim|admin)\b/i.test(target)

/** Returns true for responses that are never documented: console files and errors for unknown paths. */
const isFileOrRefusal = ({ status, text }: RecordedResponse) => status >= 400 || text === undefined

function findErrorProblem(document: CompiledDocument, { status, text = '' }: RecordedResponse): string | undefined {
  return status >= 400 && text !== '' ? findProblem(document, '/components/schemas/Error', JSON.parse(text)) : undefined
}

function findHeaderProblem(document: CompiledDocument, responsePointer: string, { headers }: RecordedResponse) {
  const pointer = joinPointer(responsePointer, 'headers')
  for (const [name, header] of Object.entries(document.objectAt(pointer))) {
    const value = headers[name.toLowerCase()]
    const isMissing = value === undefined && isObject(header) && header['required'] === true
    const problem = value === undefined ? undefined : findProblem(document, joinPointer(pointer, name, 'schema'), value)
    if (isMissing || problem !== undefined) return `header ${name}: ${problem ?? 'missing'}`
  }
  return undefined
}

function findContentProblem(document: CompiledDocument, pointer: string, response: RecordedResponse) {
  const content = document.at(joinPointer(pointer, 'content'))
  const mediaType = (response.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  if (content === undefined) return response.size > 0 ? 'undocumented body' : undefined
  if (!isObject(content) || !(mediaType in content)) return `undocumented media type "${mediaType}"`
  if (response.method === 'HEAD' || response.text === undefined) return undefined
  if (response.text === '') return 'no body'
  return findProblem(document, joinPointer(pointer, 'content', mediaType, 'schema'), JSON.parse(response.text))
}

const patternOf = (path: string) => new RegExp(`^/__sim${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)

type OperationWithPattern = DocumentedOperation & { readonly pattern: RegExp }

/** Finds the operation for a request. A path without parameters takes precedence. */
function findOperation(operations: readonly OperationWithPattern[], { method, target }: RecordedResponse) {
  const [sentPath = ''] = target.split('?', 1)
  const path = controlAliases.get(sentPath.toLowerCase().replace(/\/$/, '')) ?? sentPath
  const documentedMethod = method === 'HEAD' ? 'GET' : method
  const found = operations.filter((operation) => operation.method === documentedMethod && operation.pattern.test(path))
  return found.find((operation) => !operation.path.includes('{')) ?? found[0]
}
