import { isObject, type Json } from '../../base/core/json.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { jsonBody } from '../../service/exchange/body.ts'
import { bodyOfRefusal, readError } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { type Exchange, isMatched, type MatchedExchange, type PipelineDeps } from './exchange.ts'
import { documentedBody, replyFromDocument } from './reply-stages.ts'

/** Returns a refusal of ours in its documented shape: as it is, an example, or generated; any other reply unchanged. */
export function shapeRefusal(exchange: Exchange, reply: Reply, deps: PipelineDeps): Reply | Promise<Reply> {
  const { status, body, origin } = reply
  const isOurs = status >= 400 && readError(body?.value) !== '' && !body?.isExact
  if (!isOurs || !isMatched(exchange) || (origin !== 'contract' && origin !== 'scenario')) return reply
  const value = bodyOfRefusal(exchange.operation, reply)
  if (value === undefined) return generate(exchange, reply, deps)
  const mediaType = exchange.operation.responseMediaTypes(status).find(isJson)
  return mediaType === undefined ? reply : { ...reply, body: documentedBody({ value, mediaType }) }
}

/** Returns a refusal with a generated body, or an example that is not JSON; unchanged where there is neither. */
async function generate(exchange: MatchedExchange, reply: Reply, deps: PipelineDeps): Promise<Reply> {
  const { status } = reply
  if (!deps.fallback) return reply
  const { body } = await replyFromDocument(exchange, deps.fallback, status)
  if (!body) return reply
  if (!isJson(body.mediaType)) return { ...reply, body }
  const worded = withMessage(body.value, readError(reply.body?.value), status)
  const isFitting = exchange.operation.checkResponse(status, worded).length === 0
  return { ...reply, body: isFitting ? jsonBody(worded, body.mediaType) : body }
}

/** Puts the message, and the status, where a body has an obvious place for them; an `error` may be an object. */
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
