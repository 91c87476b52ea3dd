import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib'
import { parseSize } from '../../base/core/text.ts'
import { machineNow, monotonicNow } from '../../base/core/timers.ts'
import type { RequestBody, SimRequest } from '../../service/exchange/request.ts'
import { readConnection } from './connections.ts'

/** Reduces an absolute request target to its path and query, and sets `Host` to the target's host (RFC 9112, 3.2.2). */
export function toOriginForm(req: IncomingMessage): string {
  const { url = '' } = req
  const [scheme, host] = /^https?:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(url) ?? []
  if (scheme === undefined || host === undefined) return url
  req.headers.host = host
  // The raw headers must change, too, since `readHeaders` compares them with the raw headers of the previous request.
  req.rawHeaders = [...req.rawHeaders, 'Host', host]
  const path = url.slice(scheme.length)
  return path.startsWith('/') ? path : `/${path}`
}

/** Reads the head of a request. `target` is the path and query; `req.url` is not used, since Express changes it. */
export function readHead(req: IncomingMessage, target: string, id: string, isService: boolean): SimRequest {
  const at = machineNow()
  const receivedAt = monotonicNow()
  const queryStart = target.indexOf('?')
  return {
    id,
    at,
    receivedAt,
    ...readConnection(req.socket, isService, receivedAt),
    elapsed: () => monotonicNow() - receivedAt,
    watchClient: (onGone) => watchClose(req.socket, onGone),
    isEncrypted: 'encrypted' in req.socket,
    method: req.method ?? '',
    path: queryStart < 0 ? target : target.slice(0, queryStart),
    query: queryStart < 0 ? '' : target.slice(queryStart + 1),
    headers: readHeaders(req),
    rawHeaders: req.rawHeaders,
    body: { kind: 'absent' },
  }
}

/** Calls `onClose` when a connection closes, or at once if it is already closed. Returns a function to unsubscribe. */
function watchClose(socket: Socket, onClose: () => void): () => void {
  if (socket.destroyed) onClose()
  socket.setMaxListeners(0) // unlimited, since each pipelined request adds a listener
  socket.once('close', onClose)
  return () => socket.off('close', onClose)
}

const readHeaders = (() => {
  let lastRaw: readonly string[] = []
  let last: SimRequest['headers'] = {}
  return (req: IncomingMessage) => {
    const { rawHeaders } = req
    if (rawHeaders.length !== lastRaw.length || rawHeaders.some((text, at) => text !== lastRaw[at])) {
      lastRaw = rawHeaders
      last = joinCookies(req.headers)
    }
    return last
  }
})()

function joinCookies(headers: IncomingMessage['headers']): SimRequest['headers'] {
  const cookies = headers['set-cookie']
  const single = headers as SimRequest['headers'] // Node joins other repeated headers, or keeps only the first
  return cookies === undefined ? single : { ...single, 'set-cookie': cookies.join(', ') }
}

const absent: RequestBody = { kind: 'absent' }

type Decoder = Transform & Zlib

/** Decoder factories by `Content-Encoding`. The factory for `identity` returns undefined. */
export const decoders = new Map<string, () => Decoder | undefined>([
  ['identity', () => undefined],
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/**
 * The maximum number of decoded bytes per received byte. A compressed export expands to about 10 times its size, and a
 * decompression bomb to about 1,000 times. Bodies that decode to at most `ratioExemptBytes` are exempt.
 */
const maxDecodedRatio = 100
const ratioExemptBytes = 1024 * 1024

export interface BodyLimit {
  readonly bytes: number
  /** The limit as written in the refusal, such as `1mb`. */
  readonly text: string
}

/**
 * Calls `then` exactly once with the head and body: immediately if there is no body, or if the head causes a refusal.
 * For a body that cannot be read, `body` contains the reason. The rest of a refused body is drained, since some clients
 * send all of it before they read the reply. If the head is refused while the client waits for `100 Continue`, the
 * connection is closed after the reply instead.
 */
export function readRequest(
  req: IncomingMessage,
  res: ServerResponse,
  limit: BodyLimit,
  head: SimRequest,
  then: (request: SimRequest) => void,
): void {
  let isDone = false
  const end = (body: RequestBody) => {
    if (!isDone) then(body === absent ? head : { ...head, body })
    isDone = true
  }
  const known = decideByHead(req.headers, limit)
  const isWaiting = expectsContinue(req)
  if (known && (known === absent || isWaiting)) {
    if (known !== absent) closeIfWaiting(req, res)
    end(known)
    return
  }
  if (isWaiting) res.writeContinue()
  const decoder = known ? undefined : decoders.get(readEncoding(req.headers))?.()
  req.once('close', () => {
    if (req.readableEnded) return
    end({ kind: 'aborted' })
    decoder?.destroy() // `pipe` does not end the decoder when the client disconnects
  })
  if (known) {
    drain(req)
    end(known)
  } else collect(req, decoder ? req.pipe(decoder) : req, limit, end)
}

/** Returns true if the client sends the body only after `100 Continue`. `server.ts` refuses other expectations. */
const expectsContinue = ({ headers, httpVersion }: IncomingMessage) =>
  headers.expect !== undefined && httpVersion === '1.1'

/** Closes the connection after a refusal if the client is waiting for `100 Continue` and may still send the body. */
export function closeIfWaiting(req: IncomingMessage, res: ServerResponse): void {
  if (expectsContinue(req)) res.setHeader('Connection', 'close')
}

/** Returns the body if the head shows that it is absent, too large or in an unknown encoding; otherwise undefined. */
function decideByHead(headers: IncomingHttpHeaders, limit: BodyLimit): RequestBody | undefined {
  const { 'content-length': length, 'transfer-encoding': chunked } = headers
  if (chunked === undefined && (length === undefined || length === '0')) return absent
  if (Number(length) > limit.bytes) return tooLarge(limit)
  const encoding = readEncoding(headers)
  if (decoders.has(encoding)) return undefined
  const known = [...decoders.keys()].join(', ')
  return unreadable(415, `The body cannot be read: its Content-Encoding "${encoding}" is not one of ${known}.`)
}

function readEncoding({ 'content-encoding': encoding }: IncomingHttpHeaders): string {
  return encoding?.toLowerCase() || 'identity'
}

function collect(
  req: IncomingMessage,
  stream: IncomingMessage | Decoder,
  limit: BodyLimit,
  end: (body: RequestBody) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let isRefused = false
  const refuse = (body: RequestBody) => {
    isRefused = true
    chunks.length = 0
    if (stream !== req) {
      req.unpipe()
      stream.destroy()
    }
    drain(req)
    end(body)
  }
  stream.on('data', (chunk: Buffer) => {
    if (isRefused) return
    size += chunk.length
    if (size > limit.bytes) refuse(tooLarge(limit))
    else if (isBomb(stream, size)) refuse(decodesToTooMuch)
    else chunks.push(chunk)
  })
  stream.on('end', () => {
    if (isRefused) return
    const [first = Buffer.alloc(0)] = chunks
    const bytes = chunks.length > 1 ? Buffer.concat(chunks, size) : first
    chunks.length = 0 // the request's listeners keep this list in memory until the response has ended
    end(size > 0 ? { kind: 'bytes', bytes } : absent)
  })
  // Only a decoder's errors are handled here; a connection error is followed by 'close'.
  if (stream !== req)
    stream.on('error', (error) => refuse(unreadable(400, `The body cannot be read: ${error.message}.`)))
}

/** Returns true if a decoder has produced too many bytes for the number of bytes read. */
function isBomb(stream: IncomingMessage | Decoder, decodedBytes: number): boolean {
  if (decodedBytes <= ratioExemptBytes || !('bytesWritten' in stream)) return false
  return decodedBytes > stream.bytesWritten * maxDecodedRatio
}

/** The maximum number of bytes of a refused body that are read before the connection is destroyed. */
const maxDrainedBytes = 16 * 1024 * 1024

function drain(req: IncomingMessage): void {
  let left = maxDrainedBytes
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.socket.destroy()
  })
  req.resume()
}

const unreadable = (status: number, reason: string): RequestBody => ({ kind: 'unreadable', status, reason })

const tooLarge = ({ text }: BodyLimit) => unreadable(413, `The body is larger than the limit of ${text}.`)

const decodesToTooMuch = unreadable(
  413,
  `The body decodes to more than ${maxDecodedRatio} times its size. Send it without Content-Encoding.`,
)

/** Parses a size such as `500kb`, which has already been validated. Throws if the text is not a size. */
export function parseBodyLimit(text: string): BodyLimit {
  const bytes = parseSize(text)
  if (bytes === undefined) throw new Error(`"${text}" is not a size`)
  return { bytes, text }
}
