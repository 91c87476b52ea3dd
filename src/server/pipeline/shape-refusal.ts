import { isObject, type Json } from '../../base/core/json.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { bodyOfRefusal, readError } from '../../service/exchange/refusals.ts'
import { jsonBody, type Reply } from '../../service/exchange/reply.ts'
import { type Exchange, isMatched, type MatchedExchange, type PipelineDeps } from './exchange.ts'
import { documentedBody, replyFromDocument } from './reply-stages.ts'

/** Gives a refusal its documented shape, from an example or the schema if needed. Other replies are unchanged. */
export function shapeRefusal(exchange: Exchange, reply: Reply, deps: PipelineDeps): Reply | Promise<Reply> {
  const { status, body, origin } = reply
  const hasOwnBody = readError(body?.value) !== '' && !body?.isExact
  if (!hasOwnBody || !isMatched(exchange) || (origin !== 'contract' && origin !== 'scenario')) return reply
  const value = bodyOfRefusal(exchange.operation, reply)
  if (value === undefined) return takeFromDocument(exchange, reply, deps)
  const mediaType = exchange.operation.responseMediaTypes(status).find(isJson)
  const shaped = mediaType === undefined ? reply : { ...reply, body: documentedBody({ value, mediaType }) }
  return exchange.handler ? shaped : addHeaders(exchange, shaped, deps)
}

async function addHeaders(exchange: MatchedExchange, reply: Reply, { fallback }: PipelineDeps): Promise<Reply> {
  if (!fallback) return reply
  const { headers } = await replyFromDocument(exchange, fallback, reply.status)
  return withHeaders(reply, headers)
}

/** Adds the documented headers that the refusal does not already have. */
function withHeaders(reply: Reply, documented: Readonly<Record<string, string>>): Reply {
  const own = new Set(Object.keys(reply.headers).map((name) => name.toLowerCase()))
  const others = Object.entries(documented).filter(([name]) => !own.has(name))
  return { ...reply, headers: { ...reply.headers, ...Object.fromEntries(others) } }
}

/** Returns the refusal with the documented headers and body, and with its own message if the JSON body stays valid. */
async function takeFromDocument(exchange: MatchedExchange, reply: Reply, { fallback }: PipelineDeps): Promise<Reply> {
  const { status } = reply
  if (!fallback) return reply
  const { headers, body } = await replyFromDocument(exchange, fallback, status)
  const documentedRefusal = withHeaders(reply, headers)
  if (!body) return documentedRefusal
  if (!isJson(body.mediaType)) return { ...documentedRefusal, body }
  const bodyWithMessage = withMessage(body.value, readError(reply.body?.value), status)
  const isValid = exchange.operation.checkResponse(status, bodyWithMessage).length === 0
  return { ...documentedRefusal, body: isValid ? jsonBody(bodyWithMessage, body.mediaType) : body }
}

/** Inserts the message and the status into members with the usual names; `error` may be an object with such members. */
function withMessage(body: Json, message: string, status: number): Json {
  if (!isObject(body)) return body
  const member = ['message', 'detail', 'error', 'title'].find((name) => typeof body[name] === 'string')
  const inner = isObject(body['error']) && { error: withMessage(body['error'], message, status) }
  const numbers = ['status', 'statusCode', 'code'].filter((name) => typeof body[name] === 'number')
  return {
    ...body,
    ...(member ? { [member]: message } : inner),
    ...Object.fromEntries(numbers.map((name) => [name, status])),
  }
}
