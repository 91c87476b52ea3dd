import { createHash } from 'node:crypto'
import type { Operation, RawParameters } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { LruCache } from '../core/lru-cache.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { readQuery } from '../core/query-string.ts'
import type { JournalEntry, RecordedBody } from './entry.ts'
import { bodyToText, decodeBody } from './entry-json.ts'
import type { LiveExchange } from './journal.ts'
import { redactText } from './redact.ts'
import type { ExchangeLines } from './shared-stream.ts'

/** Finds an operation of the contract by its id. */
export type FindOperation = (id: string) => Operation | undefined

/** An exchange as it is recorded. */
export interface SharedExchange {
  readonly entry: JournalEntry
  readonly live: LiveExchange
}

/** A body as another replica reads it. `ref`: the index of one that several exchanges have. */
type SharedBody =
  | { readonly ref: number; readonly size: number }
  | { readonly text: string; readonly size: number }
  | { readonly base64: string; readonly size: number }
  | { readonly size: number }

/** Returns the name under which replicas tell the callers of requests apart: no token leaves its process. */
export const hashToken = memoizeLast(
  (token: string): string => `sha256:${createHash('sha256').update(token).digest('base64url')}`,
)

/**
 * Encodes exchanges for other replicas, with equal bodies of answers once. `clockOffset`: the zero of the process's monotonic time in epoch
 * milliseconds. A request's own token is redacted in the bodies, too, since other replicas cannot know it.
 */
export function encodeExchanges(exchanges: readonly SharedExchange[], clockOffset: number): ExchangeLines {
  const bodies: string[] = []
  const known = new Map<Uint8Array, number>()
  const shareAnswer = ({ answer: { body }, ownToken }: JournalEntry): SharedBody => {
    if (body.bytes === undefined || body.size === 0) return { size: body.size }
    let index = known.get(body.bytes)
    if (index === undefined) {
      index = bodies.push(JSON.stringify(shareBody(body, ownToken))) - 1
      known.set(body.bytes, index)
    }
    return { ref: index, size: body.size }
  }
  const lines = exchanges.map((exchange) =>
    encodeExchange(exchange, shareAnswer(exchange.entry), clockOffset),
  )
  return { bodies, exchanges: lines }
}

function encodeExchange(
  { entry, live }: SharedExchange,
  answerBody: SharedBody,
  clockOffset: number,
): string {
  const { receivedAt, openedAt, endedAt, ownToken, authorization: _, request, answer, ...others } = entry
  return JSON.stringify({
    ...others,
    receivedAt: receivedAt + clockOffset,
    tookMs: endedAt - receivedAt,
    ...(openedAt !== undefined && { openedMs: receivedAt - openedAt }),
    request: { ...request, body: shareBody(request.body, ownToken) },
    answer: { ...answer, body: answerBody },
    live: {
      path: redactValues(live.rawParameters.path, ownToken),
      token: live.token,
      // A body that the entry has only in part; the others are parsed again.
      ...(isCut(request.body) && { requestBody: live.requestBody }),
      ...(isCut(answer.body) && { answerBody: live.answerBody }),
    },
  })
}

function redactValues(values: RawParameters['path'], token: string | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, redactText(String(value), token)]),
  )
}

const isCut = ({ bytes, size }: RecordedBody) => (bytes?.length ?? 0) < size

function shareBody(body: RecordedBody, token: string | undefined): SharedBody {
  const { bytes, size } = body
  if (bytes === undefined || size === 0) return { size }
  const text = decodeBody(body)
  if (text === undefined) return { base64: Buffer.from(bytes).toString('base64'), size }
  if (token === undefined || !text.includes(token)) return { text, size }
  return { text: bodyToText(body, token) ?? '', size }
}

interface ParsedBody {
  readonly shared: SharedBody
  readonly recorded: RecordedBody
}

/** Decodes exchanges of other replicas. Equal bodies are parsed once, since the answers to many requests are the same. */
export class ExchangeDecoder {
  readonly #findOperation: FindOperation
  readonly #clockOffset: number
  readonly #bodies = new LruCache<Json | undefined>(200)

  /** `clockOffset`: see `encodeExchanges`. */
  constructor(findOperation: FindOperation, clockOffset: number) {
    this.#findOperation = findOperation
    this.#clockOffset = clockOffset
  }

  /** Decodes the exchanges of a message. Those with the same answer share its bytes. */
  *decode({ bodies, exchanges }: ExchangeLines): Generator<SharedExchange> {
    const parsed = new Map<number, ParsedBody>()
    const findBody = (body: SharedBody): ParsedBody => {
      if (!('ref' in body)) return { shared: body, recorded: toRecorded(body) }
      let known = parsed.get(body.ref)
      if (known === undefined) {
        const shared: SharedBody = JSON.parse(bodies[body.ref] ?? '{"size":0}')
        known = { shared, recorded: toRecorded(shared) }
        parsed.set(body.ref, known)
      }
      return known
    }
    for (const line of exchanges) yield this.#decodeExchange(line, findBody)
  }

  #decodeExchange(line: string, findBody: (body: SharedBody) => ParsedBody): SharedExchange {
    const { live, request, answer, receivedAt: epochMs, tookMs, openedMs, ...others } = JSON.parse(line)
    const answerBody = findBody(answer.body)
    const receivedAt = epochMs - this.#clockOffset
    const entry: JournalEntry = {
      ...others,
      ownToken: undefined,
      authorization: undefined,
      receivedAt,
      endedAt: receivedAt + tookMs,
      openedAt: openedMs === undefined ? undefined : receivedAt - openedMs,
      request: { ...request, body: toRecorded(request.body) },
      answer: { ...answer, body: { ...answerBody.recorded } },
    }
    const parse = (body: SharedBody) => this.#parse(body)
    // Query and headers of the entry, which have no credentials.
    const { query, headers } = entry.request
    const rawParameters: RawParameters = { path: live.path, query: readQuery(query), header: headers }
    const operation = entry.operation === undefined ? undefined : this.#findOperation(entry.operation)
    return {
      entry,
      live: {
        isForeign: true,
        operation,
        rawParameters,
        token: live.token,
        get requestBody() {
          return live.requestBody ?? parse(request.body)
        },
        get answerBody() {
          return live.answerBody ?? parse(answerBody.shared)
        },
      },
    }
  }

  #parse(body: SharedBody): Json | undefined {
    if (!('text' in body) || body.text === '') return undefined
    return this.#bodies.get(body.text, () => parseJson(body.text))
  }
}

function toRecorded(body: SharedBody): RecordedBody {
  if ('text' in body) return { bytes: Buffer.from(body.text), size: body.size }
  if ('base64' in body) return { bytes: Buffer.from(body.base64, 'base64'), size: body.size }
  return { bytes: undefined, size: body.size }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
