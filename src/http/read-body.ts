import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Body } from '../exchange.ts'
import { parseSize } from '../size.ts'

const absent: Body = { kind: 'absent' }

const decoders = new Map<string, () => Transform>([
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
 * same, since the answer waits for a client that only listens when it has sent everything.
 */
export function readBody(req: IncomingMessage, limit: Limit, then: (body: Body) => void): void {
  const { 'content-length': length, 'transfer-encoding': chunked } = req.headers
  if (chunked === undefined && (length === undefined || length === '0')) then(absent)
  else readSent(req, limit, then)
}

function readSent(req: IncomingMessage, limit: Limit, then: (body: Body) => void): void {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers
  let over = false
  const end = (body: Body) => {
    if (!over) then(body)
    over = true
  }
  const decoder = decoders.get(encoding.toLowerCase())?.()
  req.once('close', () => {
    if (req.readableEnded) return
    end(brokenOff)
    decoder?.destroy() // a pipe does not end for a source that breaks off
  })
  if (Number(length) > limit.bytes) passOver(req, () => end(tooLarge(limit)))
  else if (decoder) collect(req, req.pipe(decoder), limit, end)
  else if (encoding.toLowerCase() === 'identity') collect(req, req, limit, end)
  else passOver(req, () => end(unknownEncoding(encoding)))
}

function collect(
  req: IncomingMessage,
  stream: IncomingMessage | Transform,
  limit: Limit,
  end: (body: Body) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let refused = false
  const giveUp = (body: Body) => {
    refused = true
    chunks.length = 0
    if (stream !== req) {
      req.unpipe()
      stream.destroy()
    }
    passOver(req, () => end(body))
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
function passOver(req: IncomingMessage, then: () => void): void {
  if (req.readableEnded) then()
  else req.once('end', then).resume()
}

const brokenOff: Body = { kind: 'broken-off' }

function tooLarge({ text }: Limit): Body {
  return { kind: 'unreadable', status: 413, reason: `The body is larger than the limit of ${text}.` }
}

function unknownEncoding(encoding: string): Body {
  const known = [...decoders.keys()].join(', ')
  return unreadable(415, `its Content-Encoding "${encoding}" is not one of ${known}`)
}

function unreadable(status: number, why: string): Body {
  return { kind: 'unreadable', status, reason: `The body cannot be read: ${why}.` }
}

/** The limit of a size that was checked: `500kb`. */
export function limitOf(text: string): Limit {
  const bytes = parseSize(text)
  if (bytes === undefined) throw new Error(`"${text}" is no size`)
  return { bytes, text }
}
