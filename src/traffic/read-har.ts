import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { redactHeaders, redactText } from '../journal/redact.ts'
import { findOwnToken } from '../journal/redact-token.ts'
import { type AcceptedOrigins, findRecordingProblem } from './find-problem.ts'
import { readContent } from './read-content.ts'
import type { TrafficAnswer, TrafficProblem, TrafficSample } from './sample.ts'

/** Reads the exchanges of a HAR document (1.2), as browsers and proxies export it. */
export function readHar(document: Json, accepted: AcceptedOrigins): Result<TrafficSample[]> {
  const log = isObject(document) ? document.log : undefined
  const entries = isObject(log) ? log.entries : undefined
  if (!Array.isArray(entries))
    return failure('is no HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
  return success(entries.flatMap((entry) => (isObject(entry) ? readEntry(entry, accepted) : [])))
}

function readEntry(entry: JsonObject, accepted: AcceptedOrigins): TrafficSample[] {
  const { request, response } = entry
  if (!isObject(request) || !isObject(response) || typeof request.url !== 'string') return []
  if (!URL.canParse(request.url)) return []
  const { origin, pathname, search } = new URL(request.url)
  const headers = readHeaders(request.headers)
  const token = findOwnToken(headers)
  const { postData } = request
  const text = isObject(postData) && typeof postData.text === 'string' ? postData.text : undefined
  return [
    {
      method: String(request.method ?? 'GET').toUpperCase(),
      origin,
      target: redactText(pathname + search, token),
      requestHeaders: redactHeaders(headers, token),
      requestBody: text === undefined ? undefined : Buffer.from(text),
      answer: readAnswer(entry, response, accepted, token),
    },
  ]
}

function readAnswer(
  entry: JsonObject,
  response: JsonObject,
  accepted: AcceptedOrigins,
  token: string | undefined,
): TrafficAnswer | TrafficProblem {
  const status = Number(response.status)
  const { _origin, _damage: damage, _delivery: delivery, time } = entry
  const { body, mediaType } = readContent(response.content, _origin !== undefined)
  const exchange = { status, origin: _origin ?? 'upstream', damage, delivery, body }
  const headers = readHeaders(response.headers)
  return (
    findRecordingProblem(exchange, accepted) ?? {
      status,
      headers: redactHeaders(
        { ...(mediaType !== undefined && { 'content-type': mediaType }), ...headers },
        token,
      ),
      body,
      ...(typeof time === 'number' && { ms: time }),
    }
  )
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
