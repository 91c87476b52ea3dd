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

/** An exchange of this process, with the parts of the live exchange that other replicas need and the entry does not have. */
export interface OwnExchange {
  readonly entry: JournalEntry
  readonly parts: OwnParts
}

interface OwnParts {
  readonly path: RawParameters['path']
  readonly token: string | undefined
  /** The parsed bodies that the entry has only in part; the others are parsed again. */
  readonly requestBody: Json | undefined
  readonly answerBody: Json | undefined
}

/** Returns the parts of a live exchange to store with its entry. */
export function toOwnParts({ request, answer }: JournalEntry, live: LiveExchange): OwnParts {
  return {
    path: live.rawParameters.path,
    token: live.token,
    requestBody: isCut(request.body) ? live.requestBody : undefined,
    answerBody: isCut(answer.body) ? live.answerBody : undefined,
  }
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
 * Encodes exchanges for all replicas, with equal bodies of answers once. `clockOffset`: the zero of the process's monotonic time in epoch
 * milliseconds. A request's own token is redacted in the bodies, too, since other replicas cannot know it. `incomplete`: the sandboxes
 * of those of which a body was evicted before.
 */
export function encodeExchanges(
  exchanges: readonly OwnExchange[],
  clockOffset: number,
): { readonly lines: ExchangeLines; readonly incomplete: readonly string[] } {
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
  const incomplete = exchanges.filter(({ entry }) => hasEvictedBody(entry)).map(({ entry }) => entry.sandbox)
  return { lines: { bodies, exchanges: lines }, incomplete }
}

function encodeExchange({ entry, parts }: OwnExchange, answerBody: SharedBody, clockOffset: number): string {
  const { receivedAt, openedAt, endedAt, ownToken, authorization: _, request, answer, ...others } = entry
  return JSON.stringify({
    ...others,
    ...(ownToken !== undefined && { caller: hashToken(ownToken) }),
    receivedAt: receivedAt + clockOffset,
    tookMs: endedAt - receivedAt,
    ...(openedAt !== undefined && { openedMs: receivedAt - openedAt }),
    request: { ...request, body: shareBody(request.body, ownToken) },
    answer: { ...answer, body: answerBody },
    live: {
      ...parts,
      path: redactValues(parts.path, ownToken),
      token: parts.token && hashToken(parts.token),
    },
  })
}

function redactValues(values: RawParameters['path'], token: string | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, redactText(String(value), token)]),
  )
}

const isCut = ({ bytes, size }: RecordedBody) => (bytes?.length ?? 0) < size

/** Returns true if a body is missing that was recorded: not one that was never read, or read in part until the client went away. */
function hasEvictedBody({ request, answer, aborted }: JournalEntry): boolean {
  const isMissing = ({ bytes, size }: RecordedBody) => bytes === undefined && size > 0
  const isReadable = !aborted && request.body.unreadable === undefined
  return isMissing(answer.body) || (isReadable && isMissing(request.body))
}

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

  /** Decodes the exchanges of a message. Those with the same answer share its bytes. `isForeign`: another process recorded them. */
  decode({ bodies, exchanges }: ExchangeLines, isForeign: boolean): SharedExchange[] {
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
    return exchanges.map((line) => this.#decodeExchange(line, findBody, isForeign))
  }

  #decodeExchange(
    line: string,
    findBody: (body: SharedBody) => ParsedBody,
    isForeign: boolean,
  ): SharedExchange {
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
        isForeign,
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
