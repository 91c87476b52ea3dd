import type { JsonObject } from '../../base/core/json.ts'
import { readQuery } from '../../base/core/query-string.ts'
import { redactToken } from '../../base/redaction/redact-token.ts'
import { isComplete, storedBytes } from '../journal/capture-body.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import {
  bodyToBase64,
  bodyToText,
  deliveryToJson,
  parseBody,
  roundToMicroseconds,
  violationsToJson,
} from '../journal/entry-json.ts'

/** Deliveries of which the client gets no byte; browsers write the status 0 for them. */
const silentDeliveries = ['reset', 'empty', 'hang']

/** Converts an exchange to an entry of a HAR file (HTTP Archive 1.2). Names with an underscore first are ours. */
export function entryToHar(entry: JournalEntry): JsonObject {
  const { durationMs, delayMs, operation, expectation } = entry
  const wait = roundToMicroseconds(durationMs + delayMs)
  const receive = Math.max(0, roundToMicroseconds(entry.endedAt - entry.receivedAt - wait))
  return {
    startedDateTime: new Date(entry.at).toISOString(),
    time: roundToMicroseconds(wait + receive),
    request: requestToHar(entry),
    response: responseToHar(entry),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait, receive },
    _id: entry.id,
    _sandbox: entry.sandbox,
    ...(operation !== undefined && { _operation: operation }),
    _origin: entry.response.origin,
    _delivery: deliveryToJson(entry.delivery),
    _scenarios: [...entry.scenarios],
    _damage: [...entry.damage],
    ...(expectation && { _expectation: expectation }),
    _violations: violationsToJson(entry.violations),
    _responseViolations: violationsToJson(entry.responseViolations),
    _advice: violationsToJson(entry.advice),
  }
}

function requestToHar({ request, ownToken }: JournalEntry): JsonObject {
  const { method, path, query, headers, body } = request
  const target = `${path}${query === '' ? '' : `?${query}`}`
  return {
    method,
    url: `http://${headers['host'] ?? 'localhost'}${target}`,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toNameValuePairs(headers),
    queryString: Object.entries(readQuery(query)).flatMap(([name, value]) =>
      [value].flat().map((one) => ({ name, value: one })),
    ),
    ...(body.size > 0 && {
      postData: {
        mimeType: headers['content-type'] ?? '',
        text: '',
        ...textToHar(body, ownToken, '_encoding'),
      },
    }),
    headersSize: -1,
    bodySize: body.size,
  }
}

function responseToHar({ response, damage, delivery, headSentAt, ownToken }: JournalEntry): JsonObject {
  const hasLeft = delivery.kind === 'client-gone' && headSentAt === undefined
  const isSilent = hasLeft || damage.some((kind) => silentDeliveries.includes(kind))
  const { status, headers, body } = isSilent ? { ...response, status: 0, headers: {}, body: noBody } : response
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const isJson = parseBody(body) !== undefined
  const mimeType = byName.get('content-type') ?? (isJson ? 'application/json; charset=utf-8' : 'x-unknown')
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toNameValuePairs(headers),
    content: { size: body.size, mimeType, ...(body.size > 0 && textToHar(body, ownToken, 'encoding')) },
    redirectURL: redactToken(byName.get('location') ?? '', ownToken),
    headersSize: -1,
    bodySize: body.size,
  }
}

/** Returns a body as text, or as base64, which the member `encoding` says. */
function textToHar(body: RecordedBody, token: string | undefined, encoding: string): JsonObject {
  const text = bodyToText(body, token)
  if (text !== undefined) return { text, ...missingPart(body) }
  const encoded = body.latin1 !== undefined && { text: bodyToBase64(body, token), [encoding]: 'base64' }
  return { ...encoded, ...missingPart(body) }
}

const noBody: RecordedBody = { latin1: undefined, size: 0 }

/** Says that a part of a body was not recorded, or was evicted; nothing for a whole body. */
function missingPart(body: RecordedBody): JsonObject {
  return isComplete(body) ? {} : { comment: `${storedBytes(body)} of ${body.size} bytes were recorded.` }
}

const toNameValuePairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
