import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { redactHeaders, redactText } from '../journal/redact.ts'
import { findOwnToken, redacted, redactToken } from '../journal/redact-token.ts'
import { type AcceptedOrigins, findRecordingProblem } from './find-problem.ts'
import { readContent } from './read-content.ts'
import type { TrafficAnswer, TrafficProblem, TrafficSample } from './sample.ts'

/** Reads the exchanges of a HAR document (1.2), as browsers and proxies export it. */
export function readHar(document: Json, accepted: AcceptedOrigins): Result<TrafficSample[]> {
  const log = isObject(document) ? document.log : undefined
  const entries = isObject(log) ? log.entries : undefined
  if (!Array.isArray(entries))
    return failure('is no HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
  const objects = entries.filter(isObject)
  const tokens = findTokens(objects)
  return success(objects.flatMap((entry) => readEntry(entry, accepted, tokens)))
}

/** Returns the tokens of all requests: an answer may have one that another request sent. */
function findTokens(entries: readonly JsonObject[]): readonly string[] {
  const tokens = new Set<string>()
  for (const { request } of entries) {
    const token = isObject(request) ? findOwnToken(readHeaders(request.headers)) : undefined
    if (token !== undefined && !token.includes(redacted)) tokens.add(token)
  }
  // A longer one first, which another may be a part of.
  return [...tokens].sort((one, other) => other.length - one.length)
}

function readEntry(entry: JsonObject, accepted: AcceptedOrigins, tokens: readonly string[]): TrafficSample[] {
  const { request, response } = entry
  if (!isObject(request) || !isObject(response) || typeof request.url !== 'string') return []
  if (!URL.canParse(request.url)) return []
  const { origin, pathname, search } = new URL(request.url)
  const { postData } = request
  const text = isObject(postData) && typeof postData.text === 'string' ? postData.text : undefined
  return [
    {
      method: String(request.method ?? 'GET').toUpperCase(),
      origin,
      target: redactText(redactTokens(pathname + search, tokens)),
      requestHeaders: redactAll(readHeaders(request.headers), tokens),
      requestBody: text === undefined ? undefined : Buffer.from(text),
      answer: readAnswer(entry, response, accepted, tokens),
    },
  ]
}

function readAnswer(
  entry: JsonObject,
  response: JsonObject,
  accepted: AcceptedOrigins,
  tokens: readonly string[],
): TrafficAnswer | TrafficProblem {
  const status = Number(response.status)
  const { _origin, _damage: damage, _delivery: delivery, time } = entry
  const { body, mediaType } = readContent(response.content, _origin !== undefined)
  const exchange = { status, origin: _origin ?? 'upstream', damage, delivery, body }
  const headers = readHeaders(response.headers)
  return (
    findRecordingProblem(exchange, accepted) ?? {
      status,
      headers: redactAll(
        { ...(mediaType !== undefined && { 'content-type': mediaType }), ...headers },
        tokens,
      ),
      body: body && redactBytes(body, tokens),
      ...(typeof time === 'number' && { ms: time }),
    }
  )
}

const redactTokens = (text: string, tokens: readonly string[]) => tokens.reduce(redactToken, text)

/** Redacts credentials of headers, and all tokens. */
function redactAll(headers: Readonly<Record<string, string>>, tokens: readonly string[]) {
  const clean = redactHeaders(headers)
  return tokens.reduce((some, token) => redactHeaders(some, token), clean)
}

/** Redacts tokens in a body of any form. */
function redactBytes(bytes: Uint8Array, tokens: readonly string[]): Uint8Array {
  // One character for each byte: what is not replaced stays as it is.
  const text = Buffer.from(bytes).toString('latin1')
  const clean = redactTokens(text, tokens)
  return clean === text ? bytes : Buffer.from(clean, 'latin1')
}

/** Returns a list of names and values as an object with lower-case names; repeated ones are joined with commas. */
function readHeaders(list: Json | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const item of Array.isArray(list) ? list : []) {
    if (!isObject(item) || typeof item.name !== 'string') continue
    const name = item.name.toLowerCase()
    // HTTP/2 is exported with its pseudo-headers.
    if (name.startsWith(':')) continue
    const earlier = headers[name]
    const value = String(item.value ?? '')
    headers[name] = earlier === undefined ? value : `${earlier}, ${value}`
  }
  return headers
}
