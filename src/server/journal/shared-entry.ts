import { createHash } from 'node:crypto'
import type { Json } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import { LruCache, memoizeLast, once } from '../../base/core/memoize.ts'
import { reasonOf } from '../../base/core/result.ts'
import { toLatin1, utf8ToLatin1 } from '../../base/core/text.ts'
import { timeOrigin } from '../../base/core/timers.ts'
import { redactJson, redactText } from '../../base/redaction/redact.ts'
import { redactToken } from '../../base/redaction/redact-token.ts'
import type { RawParameters } from '../../service/contract/contract.ts'
import { readQuery } from '../../service/exchange/request.ts'
import type { MessagePosition, StreamMessage } from '../../state/shared-state.ts'
import type { DeliveryEnd, ExchangeRecord, JournalEntry, LiveExchange, Recorded, RecordedBody } from './entry.ts'
import { bodyToBase64, bodyToText, decodeBody, isComplete, parseBody, parseBoundedJson } from './entry-json.ts'

/** Returns the hash that replicas use to distinguish callers, so that no token leaves its process. */
export const hashToken = memoizeLast(
  (token: string): string => `sha256:${createHash('sha256').update(token).digest('base64url')}`,
)

/**
 * Encodes an exchange for all replicas. Monotonic times become epoch milliseconds. The request's own token is redacted
 * in the bodies, too, since other replicas do not know the token and could not redact it.
 */
export function encodeExchange(entry: JournalEntry, live: LiveExchange) {
  const { request, response, ownToken, authorization, number: _number, ...others } = entry
  const text = JSON.stringify({
    ...others,
    ...encodeEnd(entry),
    receivedAt: entry.receivedAt + timeOrigin,
    openedAt: entry.openedAt && entry.openedAt + timeOrigin,
    connection: shiftConnection(entry.connection, timeOrigin),
    caller: authorization ? ownToken && hashToken(ownToken) : undefined,
    request: { ...request, body: withoutBytes(request.body) },
    response: { ...response, body: withoutBytes(response.body) },
    live: {
      path: redactValues(live.rawParameters.path, ownToken),
      token: live.token && hashToken(live.token),
    },
  })
  const bodies = { request: encodeBody(request.body, ownToken), response: encodeBody(response.body, ownToken, live) }
  return { text, ...bodies }
}

const withoutBytes = (body: RecordedBody): RecordedBody => ({ ...body, latin1: undefined, isWhole: isComplete(body) })

function shiftConnection(connection: JournalEntry['connection'], ms: number): JournalEntry['connection'] {
  if (!connection) return undefined
  const shift = (time: number) => Math.round((time + ms) * 1000) / 1000 // rounded, so that equal times stay equal
  return { connectedAt: shift(connection.connectedAt), openTimes: connection.openTimes.map(shift) }
}

export const encodeEnd = (end: DeliveryEnd) => shiftEnd(end, timeOrigin)

export const decodeEnd = (end: DeliveryEnd) => shiftEnd(end, -timeOrigin)

function shiftEnd({ delivery, hasClientLeft, headSentAt, endedAt }: DeliveryEnd, ms: number): DeliveryEnd {
  return { delivery, hasClientLeft, headSentAt: headSentAt && headSentAt + ms, endedAt: endedAt + ms }
}

function redactValues(values: RawParameters['path'], token: string | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, redactText(value, token)]))
}

/** Encodes a body. A JSON response body is encoded whole, even if the entry has only a part of it. */
function encodeBody(body: RecordedBody, token: string | undefined, live?: LiveExchange): string {
  const { latin1, size } = body
  if (latin1 === undefined || size === 0) return ''
  const text = decodeBody(body)
  if (text === undefined) return JSON.stringify({ base64: bodyToBase64(body, token) })
  // JSON may escape characters of the token, as in sk\/live.
  const mayHaveToken = redactToken(text, token) !== text || (token !== undefined && text.includes('\\'))
  const clean = mayHaveToken ? (bodyToText(body, token) ?? '') : text
  const whole = isComplete(body) ? undefined : live?.responseBody
  return JSON.stringify({ text: clean, parsed: whole === undefined ? undefined : redactJson(whole, token) })
}

function readSharedBody(text: string | undefined): { latin1: string | undefined; json: () => Json | undefined } {
  if (!text) return { latin1: undefined, json: () => undefined }
  const { text: decoded, base64, parsed } = JSON.parse(text) // written by `encodeBody`
  if (decoded === undefined) return { latin1: toLatin1(Buffer.from(base64, 'base64')), json: () => undefined }
  return { latin1: utf8ToLatin1(decoded), json: once(() => parsed ?? parseBoundedJson(decoded)) }
}

type SharedMessage = Pick<StreamMessage & { kind: 'exchange' }, 'number' | 'text' | 'request' | 'response'>

/** Decodes exchanges from all replicas. Decoded response bodies are cached, since identical bodies are common. */
export class ExchangeDecoder {
  readonly #ownPrefix: string
  readonly #responses = new LruCache<ReturnType<typeof readSharedBody>>(200)

  /** `ownPrefix`: the prefix of the IDs of this process's requests. */
  constructor(ownPrefix: string) {
    this.#ownPrefix = ownPrefix
  }

  decode({ number, text, ...bodies }: SharedMessage): Recorded {
    // Written by `encodeExchange`.
    const { live, openedAt, connection, receivedAt, request, response, ...others } = JSON.parse(text)
    const sent = readSharedBody(bodies.request)
    const received = this.#responses.get(bodies.response ?? '', () => readSharedBody(bodies.response))
    const entry: JournalEntry = {
      ...others,
      ...decodeEnd(others),
      number,
      ownToken: undefined,
      authorization: undefined,
      receivedAt: receivedAt - timeOrigin,
      openedAt: openedAt && openedAt - timeOrigin,
      connection: shiftConnection(connection, -timeOrigin),
      request: { ...request, body: { ...request.body, latin1: sent.latin1 } },
      response: { ...response, body: { ...response.body, latin1: received.latin1 } },
    }
    return [entry, this.#toLive(entry, live, sent.json, received.json)]
  }

  /** Recreates the live exchange of a corrected entry, without the path parameters, which are not stored. */
  revive(entry: JournalEntry): LiveExchange {
    const { request, response, caller: token } = entry
    const live = this.#toLive(
      entry,
      { path: {}, token },
      () => parseBody(request.body),
      () => parseBody(response.body),
    )
    return Object.assign(live, { isCorrection: true })
  }

  #toLive(
    { id, request: { query, headers } }: JournalEntry,
    { path, token }: { readonly path: RawParameters['path']; readonly token: string | undefined },
    requestBody: () => Json | undefined,
    responseBody: () => Json | undefined,
  ): LiveExchange {
    return {
      isForeign: !id.startsWith(this.#ownPrefix),
      operation: undefined,
      rawParameters: { path, query: readQuery(query), header: headers }, // already redacted
      parameters: undefined,
      token,
      get requestBody() {
        return requestBody()
      },
      get responseBody() {
        return responseBody()
      },
    }
  }
}

/** Milliseconds by which the end of a delivery may differ from the announced end without a correction. */
const TOLERANCE_MS = 100
const FAILED_TOLERANCE_MS = 10 // lower, since the retry rules measure waits from the end of a failed call

interface Appender {
  append(entry: JournalEntry, live: LiveExchange): Promise<MessagePosition | undefined>
  correct(position: MessagePosition, end: DeliveryEnd): Promise<void>
  markLost(sandbox: string): void
}

/** Begins to record an exchange, which is appended when it is announced or, if it is not, when its delivery ends. */
export function beginSharedRecord(appender: Appender, log: Log, onEnd: (recorded: Recorded) => void): ExchangeRecord {
  let announced: Recorded | undefined
  let isUnconfirmed = false
  let appended: Promise<MessagePosition | undefined>
  const append = (exchange: Recorded) => {
    appended = appender.append(...exchange)
    return appended
  }
  const warn = ({ id }: JournalEntry, error: unknown) => {
    const fields = { requestId: id, reason: reasonOf(error) }
    log.warn(fields, 'an exchange, or the end of its delivery, is missing from the shared journal')
  }
  const recordLoss = (entry: JournalEntry, error: unknown) => {
    appender.markLost(entry.sandbox)
    warn(entry, error)
  }
  const correct = ([entry]: Recorded) => {
    appended.then((position) => position && appender.correct(position, entry)).catch((error) => warn(entry, error))
  }
  return {
    announce: async (expected) => {
      isUnconfirmed = true
      await append(expected)
      isUnconfirmed = false
      announced = expected
    },
    end: (end, create) => {
      const [entry, live] = announced ?? create()
      const delivery = entry.aborted ? entry.delivery : end.delivery
      const ended: Recorded = [{ ...entry, ...end, delivery }, live]
      if (announced && hasChanged(ended[0], entry)) correct(ended)
      if (!announced && !isUnconfirmed) append(ended).catch((error) => recordLoss(entry, error))
      onEnd(ended)
      return ended
    },
    correct,
  }
}

function hasChanged(ended: JournalEntry, expected: JournalEntry): boolean {
  const isFailed = ended.response.status >= 400 || ended.delivery.kind !== 'delivered'
  return (
    ended.delivery.kind !== expected.delivery.kind ||
    ended.hasClientLeft !== expected.hasClientLeft ||
    (ended.headSentAt === undefined) !== (expected.headSentAt === undefined) ||
    Math.abs(ended.endedAt - expected.endedAt) > (isFailed ? FAILED_TOLERANCE_MS : TOLERANCE_MS)
  )
}
