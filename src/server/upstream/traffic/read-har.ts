import { isObject, type Json, type JsonObject, parseJson } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { redactHeaders, redactText } from '../../../base/redaction/redact.ts'
import { findOwnToken, redacted, redactToken } from '../../../base/redaction/redact-token.ts'
import { type AcceptedOrigins, findRecordingProblem, toText } from './recorded-exchange.ts'
import {
  maxExchanges,
  type ReadTraffic,
  type TrafficProblem,
  type TrafficResponse,
  type TrafficSample,
} from './sample.ts'

/** The most different tokens of a file, each of which is looked for in all texts. */
const maxTokens = 100

/** Replaces the tokens of all requests in a text. */
type Redact = (text: string) => string

export interface ReadOptions {
  readonly accepted: AcceptedOrigins
  /** Is called before each exchange is read, with the number of those before it. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined
}

/** Reads the exchanges of a HAR document (1.2). The error is a sentence about the file, without its subject. */
export function readHar(document: Json, { accepted, onProgress }: ReadOptions): Result<ReadTraffic> {
  const { entries } = isObject(document) && isObject(document.log) ? document.log : {}
  if (!Array.isArray(entries))
    return failure('is no HAR file: it has no "log" with "entries". Export the traffic as HAR 1.2.')
  const read = entries.slice(0, maxExchanges)
  const tokens = new Set<string>()
  // Tokens first: a response may have one that another request sent.
  for (const entry of read) addToken(entry, tokens)
  if (tokens.size > maxTokens)
    return failure(`has requests with more than ${maxTokens} different tokens. Export the traffic of fewer users.`)
  // A longer one first, which another may be a part of.
  const sorted = [...tokens].sort((one, other) => other.length - one.length)
  const redact = (text: string) => sorted.reduce(redactToken, text)
  const samples: TrafficSample[] = []
  for (const [index, entry] of read.entries()) {
    onProgress?.(index, read.length)
    const sample = isObject(entry) ? readHarEntry(entry, accepted, redact) : undefined
    if (sample) samples.push(sample)
  }
  return success({ samples, omitted: entries.length - read.length })
}

function addToken(entry: Json, tokens: Set<string>): void {
  const request = isObject(entry) ? entry.request : undefined
  const token = isObject(request) ? findOwnToken(readHarHeaders(request.headers)) : undefined
  if (token !== undefined && !token.includes(redacted)) tokens.add(token)
}

/** Reads an entry; undefined: it has no request with a URL, or no response. */
function readHarEntry(entry: JsonObject, accepted: AcceptedOrigins, redact: Redact): TrafficSample | undefined {
  const { request, response } = entry
  if (!isObject(request) || !isObject(response) || typeof request.url !== 'string') return undefined
  if (!URL.canParse(request.url)) return undefined
  const { origin, pathname, search } = new URL(request.url)
  const { postData } = request
  const text = isObject(postData) && typeof postData.text === 'string' ? postData.text : undefined
  return {
    method: (toText(request.method) || 'GET').toUpperCase(),
    origin,
    target: redactText(redact(pathname + search)),
    requestBody: text === undefined ? undefined : Buffer.from(text),
    response: readHarResponse(entry, response, accepted, redact),
  }
}

function readHarResponse(
  entry: JsonObject,
  response: JsonObject,
  accepted: AcceptedOrigins,
  redact: Redact,
): TrafficResponse | TrafficProblem {
  const status = Number(toText(response.status))
  const { _origin, _damage: damage, _scenarios: scenarios, _delivery: delivery } = entry
  const content = isObject(response.content) ? response.content : {}
  const body = readHarContent(content, _origin !== undefined)
  const mediaType = toText(content.mimeType)
  const isKnown = mediaType !== '' && mediaType !== 'x-unknown'
  const exchange = { status, origin: _origin ?? 'upstream', damage, scenarios, delivery, body }
  const headers = readHarHeaders(response.headers)
  return (
    findRecordingProblem(exchange, accepted) ?? {
      status,
      headers: redactAll({ ...(isKnown && { 'content-type': mediaType }), ...headers }, redact),
      body: body && redactBytes(body, redact),
    }
  )
}

/**
 * Reads the content of a response; undefined: it is not recorded, or only a part of it. `isOurs`: convsim exported it,
 * redacted, so that its size says nothing.
 */
function readHarContent(content: JsonObject, isOurs: boolean): Uint8Array | undefined {
  const { text, encoding, size } = content
  if (typeof text !== 'string') return size === 0 ? new Uint8Array() : undefined
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  const isPart = isOurs ? saysPart(content) : isShort(bytes, size)
  return isPart ? undefined : bytes
}

/** Returns true for the content of which our export says that only a part was recorded. */
const saysPart = ({ comment }: JsonObject) =>
  typeof comment === 'string' && / of \d+ bytes were recorded\.$/.test(comment)

/** Returns true for a text that is shorter than its size says, unless it is JSON that a tool may have redacted. */
function isShort(bytes: Uint8Array, size: Json | undefined): boolean {
  return typeof size === 'number' && bytes.length < size && parseJson(Buffer.from(bytes).toString()) === undefined
}

/** Redacts credentials of headers, and all tokens. */
function redactAll(headers: Readonly<Record<string, string>>, redact: Redact) {
  const clean = Object.entries(redactHeaders(headers)).map(([name, value]) => [name, redact(value)])
  return Object.fromEntries(clean)
}

/** Redacts tokens in a body of any form. */
function redactBytes(bytes: Uint8Array, redact: Redact): Uint8Array {
  // One character for each byte: what is not replaced stays as it is.
  const text = Buffer.from(bytes).toString('latin1')
  const clean = redact(text)
  return clean === text ? bytes : Buffer.from(clean, 'latin1')
}

/** Returns a list of names and values as an object with lower-case names; repeated ones are joined with commas. */
function readHarHeaders(list: Json | undefined): Record<string, string> {
  const headers = new Map<string, string>()
  for (const item of Array.isArray(list) ? list : []) {
    if (!isObject(item) || typeof item.name !== 'string') continue
    const name = item.name.toLowerCase()
    // HTTP/2 is exported with its pseudo-headers.
    if (name.startsWith(':')) continue
    const earlier = headers.get(name)
    const value = toText(item.value)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(headers)
}
