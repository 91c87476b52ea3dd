import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { TrafficSample } from './sample.ts'

/**
 * Reads the exchanges of a journal: answers of `GET /__sim/requests`, or lines with one exchange each. Those whose answer a scenario gave or
 * damaged are left out, since no service sent them so.
 */
export function readJournal(documents: readonly Json[]): Result<TrafficSample[]> {
  const entries = documents.flatMap((document) => listEntries(document))
  if (entries.length === 0 && !documents.some(isExport))
    return failure(
      'is no journal: it has no "requests". Save the answer of GET /__sim/requests, or one exchange in each line.',
    )
  return success(entries.flatMap(readEntry))
}

const isExport = (document: Json) => isObject(document) && Array.isArray(document.requests)

function listEntries(document: Json): JsonObject[] {
  if (Array.isArray(document)) return document.flatMap(listEntries)
  if (!isObject(document)) return []
  if (Array.isArray(document.requests)) return document.requests.filter(isObject)
  return isObject(document.request) && isObject(document.answer) ? [document] : []
}

function readEntry(entry: JsonObject): TrafficSample[] {
  const { request, answer, damage } = entry
  if (!isObject(request) || !isObject(answer)) return []
  const isMade = answer.origin === 'scenario' || answer.origin === 'simulator'
  if (isMade || (Array.isArray(damage) && damage.length > 0)) return []
  const query = typeof request.query === 'string' && request.query !== '' ? `?${request.query}` : ''
  const ms = typeof entry.tookMs === 'number' ? { ms: entry.tookMs } : {}
  return [
    {
      method: String(request.method ?? 'GET'),
      target: `${String(request.path ?? '')}${query}`,
      requestHeaders: readHeaders(request.headers),
      requestBody: readBody(request.body),
      answer: {
        status: Number(answer.status),
        // The simulator's journal has no Content-Type, which is written with the body.
        headers: { 'content-type': 'application/json', ...readHeaders(answer.headers) },
        body: readBody(answer.body),
        ...ms,
      },
    },
  ]
}

/** Returns the bytes of a recorded body; undefined where they were evicted, cut, or left out of the export. */
function readBody(body: Json | undefined): Uint8Array | undefined {
  if (!isObject(body)) return undefined
  if (body.size === 0) return new Uint8Array()
  if (body.gone === true || body.cut === true) return undefined
  if (typeof body.text === 'string') return Buffer.from(body.text)
  if (body.json !== undefined) return Buffer.from(JSON.stringify(body.json))
  return typeof body.base64 === 'string' ? Buffer.from(body.base64, 'base64') : undefined
}

function readHeaders(headers: Json | undefined): Record<string, string> {
  if (!isObject(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}
