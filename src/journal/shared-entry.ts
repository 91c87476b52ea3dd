import { createHash } from 'node:crypto'
import type { Operation, RawParameters } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { LruCache } from '../core/lru-cache.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import type { JournalEntry, RecordedBody } from './entry.ts'
import { bodyToText, decodeBody } from './entry-json.ts'
import type { LiveExchange } from './journal.ts'

/** Finds an operation of the contract by its id. */
export type FindOperation = (id: string) => Operation | undefined

/** A body as another replica reads it. */
type SharedBody =
  | { readonly text: string; readonly size: number }
  | { readonly base64: string; readonly size: number }
  | { readonly size: number }

/** Returns the name under which replicas tell the callers of requests apart: no token leaves its process. */
export const hashToken = memoizeLast(
  (token: string): string => `sha256:${createHash('sha256').update(token).digest('base64url')}`,
)

/**
 * Encodes an exchange for other replicas. `clockOffset`: the zero of the process's monotonic time in epoch milliseconds. The request's own
 * token is redacted in the bodies, too, since other replicas cannot know it.
 */
export function encodeExchange(entry: JournalEntry, live: LiveExchange, clockOffset: number): string {
  const { receivedAt, openedAt, endedAt, ownToken, request, answer, ...others } = entry
  return JSON.stringify({
    ...others,
    receivedAt: receivedAt + clockOffset,
    tookMs: endedAt - receivedAt,
    ...(openedAt !== undefined && { openedMs: receivedAt - openedAt }),
    request: { ...request, body: shareBody(request.body, ownToken) },
    answer: { ...answer, body: shareBody(answer.body, ownToken) },
    live: {
      rawParameters: live.rawParameters,
      token: live.token,
      // A body that the entry has only in part; the others are parsed again.
      ...(isCut(request.body) && { requestBody: live.requestBody }),
      ...(isCut(answer.body) && { answerBody: live.answerBody }),
    },
  })
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

/** An exchange of another replica, with the number 0. */
export interface SharedExchange {
  readonly entry: JournalEntry
  readonly live: LiveExchange
}

/** Decodes exchanges of other replicas. Equal bodies are parsed once, since the answers to many requests are the same. */
export class ExchangeDecoder {
  readonly #findOperation: FindOperation
  readonly #clockOffset: number
  readonly #bodies = new LruCache<Json | undefined>(200)

  /** `clockOffset`: see `encodeExchange`. */
  constructor(findOperation: FindOperation, clockOffset: number) {
    this.#findOperation = findOperation
    this.#clockOffset = clockOffset
  }

  decode(line: string): SharedExchange {
    const { live, request, answer, receivedAt: epochMs, tookMs, openedMs, ...others } = JSON.parse(line)
    const receivedAt = epochMs - this.#clockOffset
    const entry: JournalEntry = {
      ...others,
      ownToken: undefined,
      receivedAt,
      endedAt: receivedAt + tookMs,
      openedAt: openedMs === undefined ? undefined : receivedAt - openedMs,
      request: { ...request, body: toRecorded(request.body) },
      answer: { ...answer, body: toRecorded(answer.body) },
    }
    const parse = (body: SharedBody) => this.#parse(body)
    const rawParameters: RawParameters = live.rawParameters
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
          return live.answerBody ?? parse(answer.body)
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
