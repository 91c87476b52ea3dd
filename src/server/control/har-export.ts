import { jsonPieces } from '../../base/core/json.ts'
import { mapEach } from '../../base/core/slices.ts'
import { redactToken } from '../../base/redaction/redact-token.ts'
import { readQuery } from '../../service/exchange/request.ts'
import { version } from '../../service/fixtures/bundled.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import {
  bodyToBase64,
  bodyToText,
  countStoredBytes,
  deliveryToJson,
  isComplete,
  parseBody,
  roundToMicroseconds,
  targetOf,
} from '../journal/entry-json.ts'
import { JsonPieces } from './handler.ts'

/** Deliveries that send the client no bytes; browsers record such responses with status 0. */
const silentDeliveries = ['reset', 'empty', 'hang']

export function entriesToHar(entries: readonly JournalEntry[], counts: object): JsonPieces {
  const log = { version: '1.2', creator: { name: 'convsim', version }, pages: [], ...withUnderscores(counts) }
  const pieces = harPieces({ ...log, entries: mapEach(entries, entryToHar) })
  return new JsonPieces(pieces, 'application/har+json; charset=utf-8')
}

async function* harPieces(log: object): AsyncGenerator<string> {
  yield '{"log":'
  yield* jsonPieces(log)
  yield '}'
}

const withUnderscores = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`_${name}`, value]))

function entryToHar(entry: JournalEntry) {
  const { id, sandbox, operation, scenarios, damage, expectation, violations, responseViolations, advice } = entry
  const wait = roundToMicroseconds(entry.durationMs + entry.delayMs)
  const receive = Math.max(0, roundToMicroseconds(entry.endedAt - entry.receivedAt - wait))
  const { origin } = entry.response
  const delivery = deliveryToJson(entry.delivery)
  const metadata = { id, sandbox, operation, origin, delivery, scenarios, damage, expectation }
  return {
    startedDateTime: new Date(entry.at).toISOString(),
    time: roundToMicroseconds(wait + receive),
    request: requestToHar(entry),
    response: responseToHar(entry),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait, receive },
    ...withUnderscores({ ...metadata, violations, responseViolations, advice }),
  }
}

function requestToHar({ request, ownToken }: JournalEntry) {
  const { isEncrypted, method, query, headers, body } = request
  return {
    method,
    url: `http${isEncrypted ? 's' : ''}://${headers['host'] ?? 'localhost'}${targetOf(request)}`,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toNameValuePairs(headers),
    queryString: Object.entries(readQuery(query)).flatMap(([name, value]) =>
      [value].flat().map((item) => ({ name, value: item })),
    ),
    ...(body.size > 0 && {
      postData: { mimeType: headers['content-type'] ?? '', text: '', ...textToHar(body, ownToken, '_encoding') },
    }),
    headersSize: -1,
    bodySize: body.size,
  }
}

function responseToHar({ response, damage, delivery, headSentAt, ownToken }: JournalEntry) {
  const hasLeftBeforeHead = delivery.kind === 'client-gone' && headSentAt === undefined
  const isSilent = hasLeftBeforeHead || damage.some((kind) => silentDeliveries.includes(kind))
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

function textToHar(body: RecordedBody, token: string | undefined, encoding: string) {
  const text = bodyToText(body, token)
  const comment = isComplete(body) ? undefined : `${countStoredBytes(body)} of ${body.size} bytes were recorded.`
  if (text !== undefined) return { text, comment }
  return body.latin1 === undefined ? { comment } : { text: bodyToBase64(body, token), [encoding]: 'base64', comment }
}

const noBody: RecordedBody = { latin1: undefined, size: 0 }

const toNameValuePairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
