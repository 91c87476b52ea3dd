import { readQuery } from '../../base/core/query-string.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { describeKnown } from '../../base/core/similar.ts'
import { readJson, readLargeJson } from '../../base/core/strict-json.ts'
import { cutText } from '../../base/core/text.ts'
import type { Operation, RawParameters } from '../../service/contract/contract.ts'
import { abortedMessage, formatViolations } from '../../service/exchange/refusals.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlRequest } from './handler.ts'

/** The operations whose handlers tell the faults of the body together with wrong names. */
const rulesOperations = new Set(['putScenarios', 'addScenarios'])

/** Reads a request to a control operation and checks it against the document. The error names every broken rule. */
export async function readControlRequest(
  operation: Operation,
  path: RawParameters['path'],
  request: SimRequest,
  clientGone: AbortSignal,
): Promise<Result<ControlRequest, ControlError>> {
  const parameters = readParameters(operation, path, request)
  if (!parameters.ok) return parameters
  const body = await readJsonBody(operation, request)
  if (!body.ok) return body
  const bodyViolations = rulesOperations.has(operation.id) ? body.value.bodyViolations : []
  const violations = [...parameters.value.violations, ...(bodyViolations.length > 0 ? [] : body.value.bodyViolations)]
  if (violations.length > 0) return failure(new ControlError(400, formatViolations(violations)))
  const { values } = parameters.value
  const sandbox = typeof values.query['sandbox'] === 'string' ? values.query['sandbox'] : defaultSandbox
  const sandboxFilter = sandbox === '*' ? undefined : sandbox
  return success({
    sandbox,
    sandboxFilter,
    parameters: values,
    body: body.value.body,
    bodyViolations,
    source: request,
    clientGone,
  })
}

/** Reads path, query and `X-Sim-Sandbox`. Health takes any query and header, since the tools that check it add some. */
function readParameters(
  operation: Operation,
  path: RawParameters['path'],
  { headers, query: queryText }: SimRequest,
): Result<ReturnType<Operation['readParameters']>, ControlError> {
  const takesAny = operation.id === 'getHealth'
  const unknownHeader = Object.keys(headers).find((name) => name.startsWith('x-sim-') && name !== 'x-sim-sandbox')
  if (unknownHeader !== undefined && !takesAny)
    return badRequest(`The control plane knows no header "${unknownHeader}", only x-sim-sandbox.`)
  const query = readQuery(queryText)
  const sandbox = headers['x-sim-sandbox']
  if (sandbox !== undefined && query['sandbox'] !== undefined && sandbox !== query['sandbox'])
    return badRequest('X-Sim-Sandbox and ?sandbox= name two sandboxes.')
  // The header names the sandbox as it does for the service. An operation without the parameter ignores it.
  const sent = sandbox === undefined ? query : { ...query, sandbox }
  const read = operation.readParameters({ path, query: sent, header: {} })
  const unknownName = Object.keys(query).find((name) => !Object.hasOwn(read.values.query, name))
  // Otherwise a misspelt `sandbox` would select the default sandbox.
  if (unknownName !== undefined && read.violations.length === 0 && !takesAny)
    return badRequest(describeUnknownParameter(operation, unknownName))
  return success(read)
}

function describeUnknownParameter({ id, parameters }: Operation, name: string): string {
  const known = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name)
  return `${id} has no parameter "${cutText(name)}". ${describeKnown(name, known)}`
}

/** Returns the reader of a body. An import has all that was stored, so it can be large. */
const readerOf = ({ id }: Operation) => (id === 'importSandbox' ? readLargeJson : readJson)

const badRequest = (error: string) => failure(new ControlError(400, error))

async function readJsonBody(
  operation: Operation,
  { body, headers }: SimRequest,
): Promise<Result<Pick<ControlRequest, 'body' | 'bodyViolations'>, ControlError>> {
  if (body.kind === 'unreadable') return failure(new ControlError(body.status, body.reason))
  if (body.kind === 'aborted') return badRequest(abortedMessage)
  const contentType = headers['content-type']
  const isJson = /^application\/json\s*(;|$)/i.test(contentType ?? '')
  if (!isJson && (contentType !== undefined || body.kind === 'bytes')) {
    const got = (contentType ?? '').slice(0, 80)
    const error = `The control plane takes JSON: send Content-Type: application/json; got "${got}".`
    return failure(new ControlError(415, error))
  }
  if (body.kind !== 'bytes') return operation.body?.required ? badRequest('A JSON body is required.') : success(noBody)
  if (!operation.body) return refuseBody(operation, Buffer.from(body.bytes).toString().trim())
  const read = await readerOf(operation)(body.bytes)
  if (!read.ok) return badRequest(`Invalid request: body${read.error.pointer}: ${read.error.message}.`)
  return success({ body: read.value, bodyViolations: operation.checkBody('application/json', read.value) })
}

const noBody = { body: undefined, bodyViolations: [] }

/** Refuses a body that says something: a sandbox that it names would leave the default sandbox selected. */
function refuseBody({ id }: Operation, text: string): Result<typeof noBody, ControlError> {
  if (text === '' || text === '{}' || id === 'getHealth') return success(noBody)
  return badRequest(`${id} takes no body; a sandbox is named by ?sandbox=.`)
}
