import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { redactHeaders, redactText } from '../../../base/redaction/redact.ts'
import { findOwnToken, redacted, redactToken } from '../../../base/redaction/redact-token.ts'
import { type AcceptedOrigins, findRecordingProblem, toText } from './recorded-exchange.ts'
import type { TrafficSample } from './sample.ts'

/** The maximum number of distinct tokens in a file. More would be slow: each string is searched for every token. */
const maxTokens = 100

type Redact = (text: string) => string

/** Reads the exchanges in a HAR document (1.2). The error is a sentence without its subject, the file. */
export function readHar(document: Json, accepted: AcceptedOrigins): Result<TrafficSample[]> {
  const { entries } = isObject(document) && isObject(document.log) ? document.log : {}
  if (!Array.isArray(entries))
    return failure('is not a HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
  // All tokens are collected first, since a response may contain a token from another request.
  const tokens = new Set(entries.flatMap((entry) => findToken(entry) ?? []))
  if (tokens.size > maxTokens)
    return failure(`contains more than ${maxTokens} different tokens. Export the traffic of fewer users.`)
  // Longer tokens come first, since they may contain shorter tokens.
  const sorted = [...tokens].sort((a, b) => b.length - a.length)
  const redact = (text: string) => sorted.reduce(redactToken, text)
  return success(entries.filter(isObject).flatMap((entry) => readEntry(entry, accepted, redact) ?? []))
}

function findToken(entry: Json): string | undefined {
  const request = isObject(entry) ? entry.request : undefined
  const token = isObject(request) ? findOwnToken(readHeaders(request.headers)) : undefined
  return token?.includes(redacted) ? undefined : token
}

function readEntry(entry: JsonObject, accepted: AcceptedOrigins, redact: Redact): TrafficSample | undefined {
  const { request, response } = entry
  if (!isObject(request) || !isObject(response) || typeof request.url !== 'string') return undefined
  if (!URL.canParse(request.url)) return undefined
  const { origin, pathname, search } = new URL(request.url)
  return {
    method: (toText(request.method) || 'GET').toUpperCase(),
    origin,
    target: redactText(redact(pathname + search)),
    response: readResponse(entry, response, accepted, redact),
  }
}

function readResponse(
  { _origin, _damage: damage, _scenarios: scenarios, _delivery: delivery }: JsonObject,
  response: JsonObject,
  accepted: AcceptedOrigins,
  redact: Redact,
): TrafficSample['response'] {
  const status = Number(toText(response.status))
  const content = isObject(response.content) ? response.content : {}
  const body = readContent(content, _origin !== undefined)
  const exchange = { status, origin: _origin ?? 'upstream', damage, scenarios, delivery, body }
  const problem = findRecordingProblem(exchange, accepted)
  if (problem) return problem
  const mediaType = toText(content.mimeType)
  const isKnown = mediaType !== '' && mediaType !== 'x-unknown'
  const headers = { ...(isKnown && { 'content-type': mediaType }), ...readHeaders(response.headers) }
  const clean = Object.entries(redactHeaders(headers)).map(([name, value]) => [name, redact(value)])
  // Latin-1 has one character per byte, so everything but the tokens stays unchanged, whatever the format.
  return {
    status,
    headers: Object.fromEntries(clean),
    body: body && Buffer.from(redact(body.toString('latin1')), 'latin1'),
  }
}

/**
 * Returns the content of a response; undefined if it was not recorded completely. `isFromConvsim` is true if convsim
 * exported the file. In such a file, `size` is not reliable, because convsim redacts the content.
 */
function readContent({ text, encoding, size, comment }: JsonObject, isFromConvsim: boolean): Buffer | undefined {
  if (typeof text !== 'string') return size === 0 ? Buffer.alloc(0) : undefined
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  // Complete JSON may be shorter than `size` if a tool redacted it.
  const isPartial = isFromConvsim
    ? / of \d+ bytes were recorded\.$/.test(toText(comment))
    : typeof size === 'number' && bytes.length < size && parseJson(bytes.toString()) === undefined
  return isPartial ? undefined : bytes
}

function readHeaders(list: Json | undefined): Record<string, string> {
  const items = (Array.isArray(list) ? list : []).filter(isObject)
  // Exports of HTTP/2 traffic contain pseudo-headers, such as `:path`.
  const named = items.filter(({ name }) => typeof name === 'string' && !name.startsWith(':'))
  const byName = groupBy(named, ({ name }) => toText(name).toLowerCase())
  const entries = [...byName].map(([name, same]) => [name, same.map(({ value }) => toText(value)).join(', ')])
  return Object.fromEntries(entries)
}
