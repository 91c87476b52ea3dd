import type { Json } from '../../base/core/json.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import type { Fallback } from '../../service/contract/fallback.ts'
import { bareMediaType, isJson } from '../../service/contract/media-types.ts'
import { type Body, jsonBody, textBody } from '../../service/exchange/body.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { type MatchedExchange, operationContext, type RequestStage, rawParametersOf } from './exchange.ts'

/** Carries out the operation. It is the last stage and always replies. */
export function handle(contract: Contract, fallback: Fallback | undefined): RequestStage<MatchedExchange> {
  return async function handle(exchange) {
    const { operation, handler } = exchange
    if (!handler) return replyFromDocument(exchange, contract.basePath, fallback)
    const problem = problemWithRequestedStatus(exchange)
    if (problem !== undefined) return refusals.control(problem)
    const body = await handler.handle(operationContext(exchange))
    const status = exchange.requestedStatus ?? (exchange.isDropped ? operation.droppedStatus : operation.successStatus)
    return { status, headers: {}, body: bodyOfStatus(operation, status, body), origin: 'contract' }
  }
}

/** Returns why the requested status has no body to be sent with; checked before the operation changes the state. */
function problemWithRequestedStatus({ operation, requestedStatus: status }: MatchedExchange): string | undefined {
  if (status === undefined || hasSuccessShape(operation, status)) return undefined
  if (!operation.hasResponseBody(status) || operation.examples(status).length > 0) return undefined
  return (
    `${operation.id} documents another body for ${status} than for ${operation.successStatus}, ` +
    'and no example of it. Add an example to the document.'
  )
}

/** Returns the body of a status: the handler's, none if none is documented, or an example if the shape is another. */
function bodyOfStatus(operation: Operation, status: number, body: Body): Body | undefined {
  if (!operation.hasResponseBody(status)) return undefined
  if (hasSuccessShape(operation, status)) return body
  const [example] = operation.examples(status)
  return example ? jsonBody(example.value) : body
}

function hasSuccessShape(operation: Operation, status: number): boolean {
  if (status === operation.successStatus) return true
  const shapes = [status, operation.successStatus].map((one) => JSON.stringify(operation.responseSchema(one)))
  return operation.hasResponseBody(status) && shapes[0] === shapes[1]
}

/** Replies to an operation without a handler, which an edited contract added, from its examples and schemas. */
async function replyFromDocument(exchange: MatchedExchange, basePath: string, fallback?: Fallback): Promise<Reply> {
  const { operation } = exchange
  if (!fallback) throw new Error(`no handler and no fallback for ${operation.id}`)
  const { query, header } = rawParametersOf(exchange)
  const reply = await fallback({
    operation,
    path: exchange.path.slice(basePath.length),
    query,
    headers: header,
    body: exchange.body,
    status: exchange.requestedStatus,
  })
  if (!reply.ok) return refusals.ownFault(`Prism finds no response in the document: ${reply.error}`)
  const { status, body } = reply.value
  const { 'content-type': mediaType = '', ...others } = reply.value.headers
  const headers = Object.fromEntries(Object.entries(others).filter(([name]) => isDocumentedHeader(name)))
  return { status, headers, body: body === undefined ? undefined : documentedBody(body, mediaType), origin: 'contract' }
}

/** Returns true for a header that is sent as documented: HTTP allows its name, and nothing else decides its value. */
function isDocumentedHeader(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !name.startsWith('access-control-') && !ownHeaders.has(name)
}

const ownHeaders = new Set([
  ...['connection', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-encoding', 'content-length', 'date', 'x-request-id'],
])

/** Creates a body of the document: text as it is, all else as JSON, in the documented media type if that fits. */
export function documentedBody(value: Json, mediaType: string): Body {
  if (!/^[\x20-\x7e]+$/.test(mediaType) || mediaType.includes('*')) return jsonBody(value)
  if (bareMediaType(mediaType).endsWith('+json')) return jsonBody(value, mediaType)
  if (isJson(mediaType) || typeof value !== 'string') return jsonBody(value)
  const type = mediaType.replace(/;\s*charset=[^;]*/i, '')
  return textBody(value, type !== mediaType || type.startsWith('text/') ? `${type}; charset=utf-8` : type)
}
