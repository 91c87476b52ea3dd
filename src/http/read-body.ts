import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { parseSize } from '../core/byte-size.ts'
import type { RequestBody } from '../exchange/exchange.ts'

const absent: RequestBody = { kind: 'absent' }

/** What undoes an encoding, by its name; undefined where there is nothing to undo. */
export const decoders = new Map<string, () => Transform | undefined>([
  ['identity', () => undefined],
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** How much of a body is read. */
export interface Limit {
  readonly bytes: number
  /** As it was set: `1mb`. */
  readonly text: string
}

/**
 * Calls `then` with the body of a request, once: at once where it has none. What cannot be read is read to its end all the
 * same, since the answer waits for a client that only listens when it has sent everything; but who waits to be told to go
 * on listens now.
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  limit: Limit,
  then: (body: RequestBody) => void,
): void {
  const known = knownByHead(req.headers, limit)
  const waits = expectsContinue(req)
  if (known === absent) then(absent)
  else if (known && waits) {
    closeAfterReply(res)
    then(known)
  } else {
    if (waits) res.writeContinue()
    readSent(req, known, limit, then)
  }
}

/** Whether the sender wants to be told to go on before it sends the body. Who expects anything else is refused before. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1'
}

/** Of an answer in place of being told to go on: whether the body comes all the same, nobody knows. */
export function closeAfterReply(res: ServerResponse): void {
  res.setHeader('Connection', 'close')
}

/** What becomes of a body, where the head tells. */
function knownByHead(headers: IncomingHttpHeaders, limit: Limit): RequestBody | undefined {
  const { 'content-length': length, 'transfer-encoding': chunked } = headers
  if (chunked === undefined && (length === undefined || length === '0')) return absent
  if (Number(length) > limit.bytes) return tooLarge(limit)
  const encoding = encodingOf(headers)
  return decoders.has(encoding) ? undefined : unknownEncoding(encoding)
}

/** Lower case. A header that is empty names none. */
function encodingOf({ 'content-encoding': encoding }: IncomingHttpHeaders): string {
  return encoding?.toLowerCase() || 'identity'
}

function readSent(
  req: IncomingMessage,
  known: RequestBody | undefined,
  limit: Limit,
  then: (body: RequestBody) => void,
): void {
  let over = false
  const end = (body: RequestBody) => {
    if (!over) then(body)
    over = true
  }
  const decoder = known ? undefined : decoders.get(encodingOf(req.headers))?.()
  req.once('close', () => {
    if (req.readableEnded) return
    end(brokenOff)
    decoder?.destroy() // a pipe does not end for a source that breaks off
  })
  if (known) drain(req, () => end(known))
  else collect(req, decoder ? req.pipe(decoder) : req, limit, end)
}

function collect(
  req: IncomingMessage,
  stream: IncomingMessage | Transform,
  limit: Limit,
  end: (body: RequestBody) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let refused = false
  const giveUp = (body: RequestBody) => {
    refused = true
    chunks.length = 0
    if (stream !== req) {
      req.unpipe()
      stream.destroy()
    }
    drain(req, () => end(body))
  }
  stream.on('data', (chunk: Buffer) => {
    if (refused) return
    size += chunk.length
    if (size > limit.bytes) giveUp(tooLarge(limit))
    else chunks.push(chunk)
  })
  stream.on('end', () => {
    if (refused) return
    const [first = Buffer.alloc(0)] = chunks
    const bytes = chunks.length > 1 ? Buffer.concat(chunks, size) : first
    end(size > 0 ? { kind: 'bytes', bytes } : absent)
  })
  // Errors of the connection itself end in 'close'.
  if (stream !== req) stream.on('error', (error) => giveUp(unreadable(400, error.message)))
}

/** Lets the rest of a request go by. */
function drain(req: IncomingMessage, then: () => void): void {
  if (req.readableEnded) then()
  else req.once('end', then).resume()
}

const brokenOff: RequestBody = { kind: 'broken-off' }

function tooLarge({ text }: Limit): RequestBody {
  return { kind: 'unreadable', status: 413, reason: `The body is larger than the limit of ${text}.` }
}

function unknownEncoding(encoding: string): RequestBody {
  const known = [...decoders.keys()].join(', ')
  return unreadable(415, `its Content-Encoding "${encoding}" is not one of ${known}`)
}

function unreadable(status: number, why: string): RequestBody {
  return { kind: 'unreadable', status, reason: `The body cannot be read: ${why}.` }
}

/** The limit of a size that was checked: `500kb`. */
export function limitOf(text: string): Limit {
  const bytes = parseSize(text)
  if (bytes === undefined) throw new Error(`"${text}" is no size`)
  return { bytes, text }
}
