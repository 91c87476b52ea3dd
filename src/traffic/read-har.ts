import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { redactHeaders, redactText } from '../journal/redact.ts'
import { findOwnToken } from '../journal/redact-token.ts'
import type { TrafficAnswer, TrafficProblem, TrafficSample } from './sample.ts'

/** Reads the exchanges of a HAR document (1.2), as browsers and proxies export it. */
export function readHar(document: Json): Result<TrafficSample[]> {
  const log = isObject(document) ? document.log : undefined
  const entries = isObject(log) ? log.entries : undefined
  if (!Array.isArray(entries))
    return failure('is no HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
  return success(entries.flatMap((entry) => (isObject(entry) ? readEntry(entry) : [])))
}

function readEntry(entry: JsonObject): TrafficSample[] {
  const { request, response } = entry
  if (!isObject(request) || !isObject(response) || typeof request.url !== 'string') return []
  if (!URL.canParse(request.url)) return []
  const { pathname, search } = new URL(request.url)
  const headers = readHeaders(request.headers)
  const token = findOwnToken(headers)
  const { postData } = request
  const text = isObject(postData) && typeof postData.text === 'string' ? postData.text : undefined
  return [
    {
      method: String(request.method ?? 'GET').toUpperCase(),
      target: redactText(pathname + search, token),
      requestHeaders: redactHeaders(headers, token),
      requestBody: text === undefined ? undefined : Buffer.from(text),
      answer: readAnswer(response, entry.time, token),
    },
  ]
}

function readAnswer(
  response: JsonObject,
  time: Json | undefined,
  token: string | undefined,
): TrafficAnswer | TrafficProblem {
  const status = Number(response.status)
  // A browser writes 0 for a request that it blocked, or that got no answer.
  if (!Number.isInteger(status) || status < 100)
    return { problem: 'connection', sentence: 'The recording has no answer to this request.' }
  return {
    status,
    headers: redactHeaders(readHeaders(response.headers), token),
    body: readContent(response.content),
    ...(typeof time === 'number' && { ms: time }),
  }
}

/** Returns the bytes of an answer; undefined where the file has its size alone, as exports without content do. */
function readContent(content: Json | undefined): Uint8Array | undefined {
  if (!isObject(content)) return undefined
  if (typeof content.text === 'string')
    return Buffer.from(content.text, content.encoding === 'base64' ? 'base64' : 'utf8')
  return content.size === 0 ? new Uint8Array() : undefined
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
