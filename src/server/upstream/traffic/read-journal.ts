import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { type AcceptedOrigins, findRecordingProblem, toText } from './recorded-exchange.ts'
import type { TrafficSample } from './sample.ts'

/** Reads the exchanges of a journal: a response of `GET /__sim/requests`. */
export function readJournal(document: Json, accepted: AcceptedOrigins): Result<TrafficSample[]> {
  const { requests } = isObject(document) ? document : {}
  if (!Array.isArray(requests))
    return failure('is not a journal: it has no "requests". Save the response of GET /__sim/requests.')
  return success(requests.filter(isObject).flatMap((entry) => readEntry(entry, accepted) ?? []))
}

function readEntry(entry: JsonObject, accepted: AcceptedOrigins): TrafficSample | undefined {
  const { request, response, damage, scenarios, delivery } = entry
  if (!isObject(request) || !isObject(response)) return undefined
  const { status, origin } = response
  // The simulator, and a proxy whose scenario read the response, send Content-Type with the body: journals lack it.
  const lacksMediaType = origin === 'contract' || (Array.isArray(scenarios) && scenarios.length > 0)
  const body = readBody(response.body)
  const query = toText(request.query)
  return {
    method: toText(request.method) || 'GET',
    target: toText(request.path) + (query === '' ? '' : `?${query}`),
    response: findRecordingProblem({ status, origin, damage, scenarios, delivery, body }, accepted) ?? {
      status: Number(toText(status)),
      headers: {
        ...(lacksMediaType && { 'content-type': 'application/json' }),
        ...readHeaders(response.headers),
      },
      body,
    },
  }
}

/** Returns the bytes of a recorded body, or undefined if they were evicted, cut, or left out of the export. */
function readBody(body: Json | undefined): Uint8Array | undefined {
  if (!isObject(body)) return undefined
  if (body.size === 0) return new Uint8Array()
  if (body.gone === true || body.cut === true) return undefined
  if (typeof body.text === 'string') return Buffer.from(body.text)
  if (body.json !== undefined) return Buffer.from(JSON.stringify(body.json))
  return typeof body.base64 === 'string' ? Buffer.from(body.base64, 'base64') : undefined
}

function readHeaders(headers: Json | undefined): Record<string, string> {
  const entries = isObject(headers) ? Object.entries(headers) : []
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), toText(value)]))
}
