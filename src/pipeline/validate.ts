import { isJson, matchMediaType } from '../contract/media-types.ts'
import type { Violation } from '../documents/violation.ts'
import { type Exchange, jsonOf, operationOf, type Reply, type Stage } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Handler } from '../operations/handler.ts'
import { rawParametersOf } from './sent.ts'

/** Everything the contract says of a request, all violations at once. `strict` turns probable mistakes into refusals. */
export function validate(handlers: ReadonlyMap<string, Handler>, strict: boolean): Stage {
  return function validate(exchange) {
    const operation = operationOf(exchange)
    const { body } = exchange.request
    if (body.kind === 'unreadable' && operation.body)
      return refusals.unreadableBody(operation, body.status, body.reason)
    const { values, violations } = operation.readParameters(rawParametersOf(exchange))
    exchange.parameters = values
    exchange.violations = [...violations, ...checkBody(exchange)]
    if (exchange.violations.length > 0) return refusals.invalid(operation, exchange.violations)
    return advise(exchange, handlers.get(operation.id), strict)
  }
}

function advise(exchange: Exchange, handler: Handler | undefined, strict: boolean): Reply | undefined {
  const mistakes = handler?.warnings?.(exchange) ?? []
  const recommended = handler?.recommendations?.(exchange) ?? []
  exchange.advice = recommended.length > 0 ? [...mistakes, ...recommended] : mistakes
  if (!strict || mistakes.length === 0) return undefined
  exchange.violations = mistakes
  return refusals.invalid(operationOf(exchange), mistakes)
}

/** Reads and checks the body; `exchange.body` is set where it is a JSON value at all. */
function checkBody(exchange: Exchange): Violation[] {
  const expected = operationOf(exchange).body
  const { request } = exchange
  if (!expected) return []
  if (request.body.kind !== 'bytes') return expected.required ? [missing(expected.mediaTypes)] : []
  const contentType = request.headers['content-type']
  const mediaType = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const problem = mediaTypeProblem(contentType, mediaType, expected.mediaTypes)
  if (problem) return [{ in: 'header', pointer: '/content-type', keyword: 'media-type', message: problem }]
  // An operation that somebody added may take text: it is judged as the text that it is.
  const read = isJson(mediaType) ? jsonOf(exchange) : readText(request.body.bytes)
  if (!read) throw new Error('a body of bytes was not read')
  if (!read.ok)
    return [{ in: 'body', pointer: read.error.pointer, keyword: 'json', message: read.error.message }]
  exchange.body = read.value
  return operationOf(exchange).checkBody(mediaType, read.value)
}

const missing = (mediaTypes: readonly string[]): Violation => ({
  in: 'body',
  pointer: '',
  keyword: 'required',
  message: `is required: send a body of the type ${mediaTypes.join(' or ')}`,
})

const readText = (bytes: Uint8Array) => ({ ok: true, value: new TextDecoder().decode(bytes) }) as const

/** What is wrong with a content type, if the document's media types or ranges do not cover it. JSON is UTF-8 (RFC 8259). */
function mediaTypeProblem(
  sent: string | undefined,
  mediaType: string,
  allowed: readonly string[],
): string | undefined {
  if (sent === undefined) return `is missing; send ${allowed.join(' or ')}`
  if (matchMediaType(allowed, mediaType) === undefined)
    return `must be ${allowed.join(' or ')}; got "${sent.slice(0, 80)}"`
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(sent)?.[1]?.toLowerCase() ?? 'utf-8'
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset)
    ? undefined
    : `must have the charset utf-8; got "${charset}"`
}
