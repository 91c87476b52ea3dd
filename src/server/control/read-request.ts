import { failure, type Result, success } from '../../base/core/result.ts'
import { readJson, readLargeJson } from '../../base/core/strict-json.ts'
import { cutText, describeKnown } from '../../base/core/text.ts'
import type { Operation, RawParameters } from '../../service/contract/contract.ts'
import { abortedMessage, formatViolations } from '../../service/exchange/refusals.ts'
import { readQuery, type SimRequest } from '../../service/exchange/request.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlRequest } from './handler.ts'

/** Reads a control request and validates it against the control document. */
export async function readControlRequest(
  operation: Operation,
  path: RawParameters['path'],
  source: SimRequest,
  exchangeEnded: AbortSignal,
): Promise<Result<ControlRequest, ControlError>> {
  const read = readParameters(operation, path, source)
  if (!read.ok) return read
  const sent = await readJsonBody(operation, source)
  if (!sent.ok) return sent
  const { values: parameters } = read.value
  const { body } = sent.value
  const violations = [...read.value.violations, ...sent.value.violations]
  if (violations.length > 0) return badRequest(formatViolations(violations))
  const sandbox = typeof parameters.query['sandbox'] === 'string' ? parameters.query['sandbox'] : defaultSandbox
  const sandboxFilter = sandbox === '*' ? undefined : sandbox
  return success({ sandbox, sandboxFilter, parameters, body, source, exchangeEnded })
}

/** Reads the parameters and `X-Sim-Sandbox`. `getHealth` also accepts parameters and headers that health checks add. */
function readParameters(operation: Operation, path: RawParameters['path'], { headers, query: queryText }: SimRequest) {
  const acceptsAny = operation.id === 'getHealth'
  const unknownHeader = Object.keys(headers).find((name) => name.startsWith('x-sim-') && name !== 'x-sim-sandbox')
  if (unknownHeader !== undefined && !acceptsAny)
    return badRequest(`The control plane accepts no X-Sim header except X-Sim-Sandbox; got "${unknownHeader}".`)
  const query = readQuery(queryText)
  const sandbox = headers['x-sim-sandbox']
  if (sandbox !== undefined && query['sandbox'] !== undefined && sandbox !== query['sandbox'])
    return badRequest('X-Sim-Sandbox and ?sandbox= name different sandboxes.')
  // The header names the sandbox, as in service requests. Operations without a `sandbox` parameter ignore the header.
  const sent = sandbox === undefined ? query : { ...query, sandbox }
  const read = operation.readParameters({ path, query: sent, header: {} })
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(read.values.query, name))
  // An unknown parameter is refused, since a misspelled `sandbox` would otherwise select the default sandbox.
  if (unknown === undefined || read.violations.length > 0 || acceptsAny) return success(read)
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  return badRequest(`${operation.id} has no parameter "${cutText(unknown)}". ${describeKnown(unknown, known)}`)
}

const badRequest = (error: string) => failure(new ControlError(400, error))

async function readJsonBody(operation: Operation, { body, headers }: SimRequest) {
  if (body.kind === 'unreadable') return failure(new ControlError(body.status, body.reason))
  if (body.kind === 'aborted') return badRequest(abortedMessage)
  const { 'content-type': mediaType = body.kind === 'bytes' ? '' : undefined } = headers
  if (mediaType !== undefined && !/^application\/json\s*(;|$)/i.test(mediaType)) {
    const error = `The control plane accepts only Content-Type: application/json; got "${mediaType.slice(0, 80)}".`
    return failure(new ControlError(415, error))
  }
  if (body.kind !== 'bytes') return operation.body?.required ? badRequest('A JSON body is required.') : success(noBody)
  if (!operation.body) return refuseBody(operation.id, Buffer.from(body.bytes).toString().trim())
  const readBody = operation.id === 'importSandbox' ? readLargeJson : readJson
  const read = await readBody(body.bytes)
  if (!read.ok) return badRequest(`Invalid request: body${read.error.pointer}: ${read.error.message}.`)
  return success({ body: read.value, violations: operation.checkBody('application/json', read.value) })
}

const noBody = { body: undefined, violations: [] }

/** Refuses a nonempty body other than `{}`, since the body might name a sandbox. `getHealth` ignores any body. */
function refuseBody(operationId: string, text: string) {
  if (text === '' || text === '{}' || operationId === 'getHealth') return success(noBody)
  return badRequest(`${operationId} takes no body; omit it. To name a sandbox, use ?sandbox=NAME if supported.`)
}
