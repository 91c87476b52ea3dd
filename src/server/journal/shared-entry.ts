import { createHash } from 'node:crypto'
import { toLatin1, utf8ToLatin1 } from '../../base/core/bytes.ts'
import { isObject, type Json } from '../../base/core/json.ts'
import { LruCache, memoizeLast } from '../../base/core/memoize.ts'
import { readQuery } from '../../base/core/query-string.ts'
import { timeOrigin } from '../../base/core/timers.ts'
import { redactJson, redactText } from '../../base/redaction/redact.ts'
import { redactToken } from '../../base/redaction/redact-token.ts'
import type { Operation, RawParameters } from '../../service/contract/contract.ts'
import type { SharedResponse, StreamMessage } from '../../state/exchanges.ts'
import { isComplete } from './capture-body.ts'
import type { DeliveryEnd, JournalEntry, LiveExchange, Recorded, RecordedBody } from './entry.ts'
import { bodyToBase64, bodyToText, decodeBody, parseBody, parseBoundedJson } from './entry-json.ts'

/** The content of a body as other replicas read it. `parsed`: the whole body where the entry has only a part of it. */
type SharedBody = ({ readonly text: string } | { readonly base64: string }) & {
  readonly parsed?: Json | undefined
}

/** Returns the name under which replicas tell the callers of requests apart: no token leaves its process. */
export const hashToken = memoizeLast(
  (token: string): string => `sha256:${createHash('sha256').update(token).digest('base64url')}`,
)

/**
 * Encodes an exchange for all replicas. Times are in epoch milliseconds. A request's own token is redacted in the
 * bodies, too, since other replicas cannot know it.
 */
export function encodeExchange(entry: JournalEntry, live: LiveExchange) {
  const { request, response, ownToken, authorization, number: _number, ...others } = entry
  const text = JSON.stringify({
    ...others,
    ...encodeEnd(entry),
    receivedAt: entry.receivedAt + timeOrigin,
    openedAt: entry.openedAt && entry.openedAt + timeOrigin,
    caller: authorization ? ownToken && hashToken(ownToken) : undefined,
    request: { ...request, body: withoutBytes(request.body) },
    response: { ...response, body: withoutBytes(response.body) },
    live: {
      path: redactValues(live.rawParameters.path, ownToken),
      token: live.token && hashToken(live.token),
    },
  })
  return { text, request: shareBody(request.body, ownToken), response: shareResponse(entry, live) }
}

const withoutBytes = (body: RecordedBody): RecordedBody => ({ ...body, latin1: undefined, isWhole: isComplete(body) })

/** Shares the body of a response, unless it has the token of its request or is stored in part. */
function shareResponse({ response: { body }, ownToken }: JournalEntry, live: LiveExchange): SharedResponse {
  const { latin1, size } = body
  if (latin1 === undefined || size === 0) return { key: undefined, text: () => '' }
  const isCut = !isComplete(body)
  const isOwn = isCut || hasToken(decodeBody(body) ?? latin1, ownToken)
  const text = () =>
    shareBody(
      body,
      ownToken,
      isCut && live.responseBody !== undefined ? redactJson(live.responseBody, ownToken) : undefined,
    )
  return { key: isOwn || !isObject(live.responseBody) ? undefined : live.responseBody, text }
}

/** Encodes the end of a delivery. */
export function encodeEnd({ delivery, hasClientLeft, headSentAt, endedAt }: DeliveryEnd) {
  const sentAt = headSentAt && headSentAt + timeOrigin
  return { delivery, hasClientLeft, headSentAt: sentAt, endedAt: endedAt + timeOrigin }
}

/** Decodes the end of a delivery. */
export function decodeEnd({ delivery, hasClientLeft, headSentAt, endedAt }: DeliveryEnd): DeliveryEnd {
  const sentAt = headSentAt && headSentAt - timeOrigin
  return { delivery, hasClientLeft, headSentAt: sentAt, endedAt: endedAt - timeOrigin }
}

function redactValues(values: RawParameters['path'], token: string | undefined): Record<string, string> {
  const redactOne = ([name, value]: [string, unknown]) => [name, redactText(String(value), token)]
  return Object.fromEntries(Object.entries(values).map(redactOne))
}

function shareBody(body: RecordedBody, token: string | undefined, parsed?: Json): string {
  const { latin1, size } = body
  if (latin1 === undefined || size === 0) return ''
  const text = decodeBody(body)
  if (text === undefined) return JSON.stringify({ base64: bodyToBase64(body, token) })
  // JSON may escape a character of the token: sk\/live.
  const mayHaveToken = hasToken(text, token) || (token !== undefined && text.includes('\\'))
  const clean = mayHaveToken ? (bodyToText(body, token) ?? '') : text
  return JSON.stringify({ text: clean, parsed })
}

const hasToken = (text: string, token: string | undefined) => redactToken(text, token) !== text

function readShared(text: string | undefined) {
  const body = parseShared(text)
  return { body, latin1: decodeShared(body) }
}

function decodeShared(body: SharedBody | undefined): string | undefined {
  if (!body) return undefined
  return 'text' in body ? utf8ToLatin1(body.text) : toLatin1(Buffer.from(body.base64, 'base64'))
}

/** A message with an exchange; see `StreamMessage`. */
type SharedMessage = Pick<StreamMessage & { kind: 'exchange' }, 'number' | 'text' | 'request' | 'response'>

const parseShared = (text: string | undefined): SharedBody | undefined => (text ? JSON.parse(text) : undefined)

/** Finds an operation of the contract by its id. */
export type FindOperation = (id: string) => Operation | undefined

/** Decodes the exchanges of all replicas. Equal bodies, which are common, are parsed once. */
export class ExchangeDecoder {
  readonly #findOperation: FindOperation
  readonly #ownPrefix: string
  readonly #parsed = new LruCache<Json | undefined>(200)
  readonly #responses = new LruCache<ReturnType<typeof readShared>>(200)

  /** `ownPrefix`: the first part of the ids of requests that this process responded. */
  constructor(findOperation: FindOperation, ownPrefix: string) {
    this.#findOperation = findOperation
    this.#ownPrefix = ownPrefix
  }

  decode({ number, text, ...bodies }: SharedMessage): Recorded {
    const { live, openedAt, receivedAt, request, response, ...others } = JSON.parse(text) // of `encodeExchange`
    const requestBody = parseShared(bodies.request)
    const { body: responseBody, latin1 } = this.#responses.get(bodies.response ?? '', () => readShared(bodies.response))
    const entry: JournalEntry = {
      ...others,
      ...decodeEnd(others),
      number,
      ownToken: undefined,
      authorization: undefined,
      receivedAt: receivedAt - timeOrigin,
      openedAt: openedAt && openedAt - timeOrigin,
      request: { ...request, body: { ...request.body, latin1: decodeShared(requestBody) } },
      response: { ...response, body: { ...response.body, latin1 } },
    }
    const responded = () => responseBody?.parsed ?? this.#parse(responseBody)
    return [entry, this.#toLive(entry, live, () => this.#parse(requestBody), responded)]
  }

  /** Returns the live exchange of an entry that was decoded before. Its path parameters are not known any more. */
  revive(entry: JournalEntry): LiveExchange {
    const { request, response, caller } = entry
    const [sent, responded] = [() => parseBody(request.body), () => parseBody(response.body)]
    return Object.assign(this.#toLive(entry, { path: {}, token: caller }, sent, responded), {
      isCorrection: true,
    })
  }

  #toLive(
    { id, operation, request: { query, headers } }: JournalEntry,
    { path, token }: { readonly path: RawParameters['path']; readonly token: string | undefined },
    requestBody: () => Json | undefined,
    responseBody: () => Json | undefined,
  ): LiveExchange {
    return {
      isForeign: !id.startsWith(this.#ownPrefix),
      operation: operation === undefined ? undefined : this.#findOperation(operation),
      rawParameters: { path, query: readQuery(query), header: headers }, // which have no credentials
      token,
      get requestBody() {
        return requestBody()
      },
      get responseBody() {
        return responseBody()
      },
    }
  }

  #parse(body: SharedBody | undefined): Json | undefined {
    if (!body || !('text' in body) || body.text === '') return undefined
    return this.#parsed.get(body.text, () => parseBoundedJson(body.text))
  }
}
