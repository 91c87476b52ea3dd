import { isObject, type Json } from '../../base/core/json.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { bodyOfRefusal, readError } from '../../service/exchange/refusals.ts'
import { jsonBody, type Reply } from '../../service/exchange/reply.ts'
import { type Exchange, isMatched, type MatchedExchange, type PipelineDeps } from './exchange.ts'
import { documentedBody, replyFromDocument } from './reply-stages.ts'

/** Returns a refusal in its documented shape: unchanged, an example, or generated. Other replies are unchanged. */
export function shapeRefusal(exchange: Exchange, reply: Reply, deps: PipelineDeps): Reply | Promise<Reply> {
  const { status, body, origin } = reply
  const isOurs = readError(body?.value) !== '' && !body?.isExact
  if (!isOurs || !isMatched(exchange) || (origin !== 'contract' && origin !== 'scenario')) return reply
  const value = bodyOfRefusal(exchange.operation, reply)
  if (value === undefined) return generate(exchange, reply, deps)
  const mediaType = exchange.operation.responseMediaTypes(status).find(isJson)
  const shaped = mediaType === undefined ? reply : { ...reply, body: documentedBody({ value, mediaType }) }
  return exchange.handler ? shaped : addHeaders(exchange, shaped, deps)
}

async function addHeaders(exchange: MatchedExchange, reply: Reply, { fallback }: PipelineDeps): Promise<Reply> {
  if (!fallback) return reply
  const { headers } = await replyFromDocument(exchange, fallback, reply.status)
  return withHeaders(reply, headers)
}

/** Returns a refusal with the documented headers for which it has no value of its own. */
function withHeaders(reply: Reply, documented: Readonly<Record<string, string>>): Reply {
  const own = new Set(Object.keys(reply.headers).map((name) => name.toLowerCase()))
  const others = Object.entries(documented).filter(([name]) => !own.has(name))
  return { ...reply, headers: { ...reply.headers, ...Object.fromEntries(others) } }
}

/** Returns a refusal with a generated body, or an example that is not JSON; unchanged if there is neither. */
async function generate(exchange: MatchedExchange, reply: Reply, { fallback }: PipelineDeps): Promise<Reply> {
  const { status } = reply
  if (!fallback) return reply
  const { headers, body } = await replyFromDocument(exchange, fallback, status)
  const described = withHeaders(reply, headers)
  if (!body) return described
  if (!isJson(body.mediaType)) return { ...described, body }
  const worded = withMessage(body.value, readError(reply.body?.value), status)
  const isFitting = exchange.operation.checkResponse(status, worded).length === 0
  return { ...described, body: isFitting ? jsonBody(worded, body.mediaType) : body }
}

/** Inserts the message and the status where a body has an obvious place for them; an `error` may be an object. */
function withMessage(body: Json, message: string, status: number): Json {
  if (!isObject(body)) return body
  const place = ['message', 'detail', 'error', 'title'].find((name) => typeof body[name] === 'string')
  const inner = isObject(body['error']) && { error: withMessage(body['error'], message, status) }
  const numbers = ['status', 'statusCode', 'code'].filter((name) => typeof body[name] === 'number')
  return {
    ...body,
    ...(place ? { [place]: message } : inner),
    ...Object.fromEntries(numbers.map((name) => [name, status])),
  }
}
