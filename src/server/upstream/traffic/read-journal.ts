import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { type AcceptedOrigins, findRecordingProblem, toText } from './recorded-exchange.ts'
import { maxExchanges, type ReadTraffic, type TrafficSample } from './sample.ts'

/** Reads the exchanges of a journal: responses of `GET /__sim/requests`, or lines with one exchange each. */
export function readJournal(documents: readonly Json[], accepted: AcceptedOrigins): Result<ReadTraffic> {
  const entries = documents
    .flatMap((document) => (Array.isArray(document) ? document.flat() : [document]))
    .flatMap(listEntries)
  if (entries.length === 0 && !documents.some(isExport))
    return failure(
      'is no journal: it has no "requests". Save the response of GET /__sim/requests, or one exchange in each line.',
    )
  const samples = entries.slice(0, maxExchanges).flatMap((entry) => readJournalEntry(entry, accepted))
  return success({ samples, omitted: Math.max(0, entries.length - maxExchanges) })
}

const isExport = (document: Json) => isObject(document) && Array.isArray(document.requests)

function listEntries(document: Json): JsonObject[] {
  if (!isObject(document)) return []
  if (Array.isArray(document.requests)) return document.requests.filter(isObject)
  return isObject(document.request) && isObject(document.response) ? [document] : []
}

function readJournalEntry(entry: JsonObject, accepted: AcceptedOrigins): TrafficSample[] {
  const { request, response, damage, scenarios, delivery } = entry
  if (!isObject(request) || !isObject(response)) return []
  const { status, origin } = response
  // The simulator, and a proxy whose scenario looked at the response, write Content-Type with the body: journals lack
  // it.
  const lacksMediaType = origin === 'contract' || (Array.isArray(scenarios) && scenarios.length > 0)
  const body = readJournalBody(response.body)
  const query = typeof request.query === 'string' && request.query !== '' ? `?${request.query}` : ''
  return [
    {
      method: toText(request.method) || 'GET',
      target: `${toText(request.path)}${query}`,
      requestBody: readJournalBody(request.body),
      response: findRecordingProblem({ status, origin, damage, scenarios, delivery, body }, accepted) ?? {
        status: Number(toText(status)),
        headers: {
          ...(lacksMediaType && { 'content-type': 'application/json' }),
          ...readJournalHeaders(response.headers),
        },
        body,
      },
    },
  ]
}

/** Returns the bytes of a recorded body; undefined where they were evicted, cut, or left out of the export. */
function readJournalBody(body: Json | undefined): Uint8Array | undefined {
  if (!isObject(body)) return undefined
  if (body.size === 0) return new Uint8Array()
  if (body.gone === true || body.cut === true) return undefined
  if (typeof body.text === 'string') return Buffer.from(body.text)
  if (body.json !== undefined) return Buffer.from(JSON.stringify(body.json))
  return typeof body.base64 === 'string' ? Buffer.from(body.base64, 'base64') : undefined
}

function readJournalHeaders(headers: Json | undefined): Record<string, string> {
  const entries = isObject(headers) ? Object.entries(headers) : []
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), toText(value)]))
}
