import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { httpDate } from '../../base/core/instant.ts'
import { clearTimeout, monotonicNow, setTimeout, sleep } from '../../base/core/timers.ts'
import { immediateDelivery, type OutgoingReply, type Reply } from '../../service/exchange/reply.ts'
import { endAtStop, onSocket, type Sending, watchEnd } from './connections.ts'

/** Writes a reply to the socket as the delivery mode requires. An immediate delivery does not need `stopping`. */
export async function deliver(outgoing: OutgoingReply, res: ServerResponse, stopping?: AbortSignal): Promise<void> {
  const { reply, delivery } = outgoing
  const { mode, delayMs } = delivery
  const sending: Sending = { outgoing, res, sentBytes: 0, headSentAt: undefined, endedBy: undefined }
  const end = outgoing.onEnd && watchEnd(sending, outgoing.onEnd)
  if (stopping) endAtStop(sending, stopping)
  if (mode.kind === 'hang') return // nothing is sent, and the connection stays open
  if (delayMs > 0) await pause(delayMs, createCloseSignal(res))
  if (res.destroyed) return
  if (reply.stream || reply.relay) return writeChunks(sending)
  if (mode.kind === 'dribble' && reply.body) return writeInPieces(sending, mode)
  writeAtOnce(sending, end)
}

/** Writes a reply in one step: whole, in part, or not at all. `end` reports the end of the delivery. */
function writeAtOnce(sending: Sending, end: (() => void) | undefined): void {
  const { res, outgoing } = sending
  const { mode } = outgoing.delivery
  const { body } = outgoing.reply
  switch (mode.kind) {
    case 'whole':
    case 'dribble': // without a body
      writeWhole(sending)
      return
    case 'reset':
    case 'empty':
      onSocket(res, (socket) => {
        sending.endedBy = 'scenario'
        // Only a TCP connection can be reset. With TLS, the TCP connection is the parent of the socket.
        const { _parent: tcp } = socket as typeof socket & { readonly _parent?: typeof socket | null }
        if (mode.kind === 'reset') (tcp ?? socket).resetAndDestroy()
        else socket.destroy()
      })
      return
    case 'truncated': {
      const bytes = body?.bytes() ?? noBytes
      writeHead(sending, bytes.length)
      res.write(firstPart(bytes, mode.keep), () => {
        sending.endedBy = 'scenario'
        end?.() // now, since the client sees the connection end before this side emits `close`
        res.socket?.destroySoon()
      })
      return
    }
    case 'malformed': {
      const part = firstPart(body?.bytes() ?? noBytes, mode.keep)
      writeHead(sending, part.length)
      res.end(part)
    }
  }
}

/** The maximum length of a body sent as text. Node joins text with the head; joining 10 kB takes 5% of a GET's time. */
const maxTextLength = 4096

function writeWhole(sending: Sending): void {
  const { res, outgoing } = sending
  const { body } = outgoing.reply
  const latin1 = body?.latin1() ?? ''
  writeHead(sending, latin1.length)
  if (latin1.length > maxTextLength) res.end(body?.bytes())
  else res.end(latin1, 'latin1')
}

/** Writes a complete reply immediately, with the real time in its `Date` header. */
export function deliverImmediately(reply: Reply, res: ServerResponse): Promise<void> {
  return deliver({ reply, delivery: immediateDelivery, date: undefined }, res)
}

/** Milliseconds after which a client that does not read its stream is disconnected, to free its slot. */
const maxStallMs = 30_000

/**
 * Writes a stream, or a body from the real service, no faster than the client reads. If the source fails, the response
 * is cut off. After a stream, the connection is closed, so that it does not delay shutdown.
 */
async function writeChunks(sending: Sending): Promise<void> {
  const { res, outgoing } = sending
  const { stream, relay } = outgoing.reply
  const closed = createCloseSignal(res)
  if (stream) res.setHeader('Connection', 'close')
  writeHead(sending, relay?.length)
  res.write(noBytes) // not `flushHeaders`, which writes Latin-1 as UTF-8
  try {
    for await (const chunk of stream?.chunks(closed) ?? relay?.chunks() ?? []) {
      if (res.destroyed) return
      const hasRoom = res.write(chunk)
      sending.sentBytes += chunk.length
      if (!hasRoom) await drain(res, closed, stream && maxStallMs)
    }
    res.end()
  } catch {
    if (!res.destroyed) sending.endedBy = 'upstream'
    res.destroy()
  }
}

/** Waits until the client reads or disconnects. Disconnects a client that does not read within `maxMs`, if set. */
async function drain(res: ServerResponse, closed: AbortSignal, maxMs: number | undefined): Promise<void> {
  // A timer, since Node may garbage-collect an `AbortSignal.timeout` inside `AbortSignal.any` before it fires.
  const timer = maxMs === undefined ? undefined : setTimeout(() => res.destroy(), maxMs).unref()
  await once(res, 'drain', { signal: closed }).catch(() => undefined)
  clearTimeout(timer)
}

function createCloseSignal(res: ServerResponse): AbortSignal {
  const closed = new AbortController()
  res.once('close', () => closed.abort())
  return closed.signal
}

const noBytes = new Uint8Array(0)

function writeHead(sending: Sending, length: number | undefined): void {
  const { res, outgoing } = sending
  const { reply } = outgoing
  const { rawHeaders } = reply
  const rawKeys = rawHeaders && new Set(rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()))
  // A flat list is fastest, since Node writes it without looking up names.
  const headers: (string | number)[] = rawHeaders ? [...rawHeaders] : listAddedHeaders(outgoing, length)
  for (const name in reply.headers) if (!rawKeys?.has(name.toLowerCase())) headers.push(name, reply.headers[name] ?? '')
  res.writeHead(reply.status, headers)
  // A response without a socket is queued behind another response on the connection.
  if (res.socket) sending.headSentAt = monotonicNow()
}

function listAddedHeaders({ reply, date }: OutgoingReply, length: number | undefined): (string | number)[] {
  const headers: (string | number)[] = []
  const mediaType = reply.body?.mediaType ?? reply.stream?.mediaType ?? reply.relay?.mediaType
  if (mediaType !== undefined) headers.push('Content-Type', mediaType)
  if (length !== undefined && reply.status !== 204) headers.push('Content-Length', length)
  if (date !== undefined) headers.push('Date', httpDate(date))
  if (reply.cookies) for (const cookie of reply.cookies) headers.push('Set-Cookie', cookie)
  return headers
}

/** Returns the first part of the bytes: the fraction `keep` (0 to 1), but never all of them. */
function firstPart(bytes: Uint8Array, keep: number): Uint8Array {
  return bytes.subarray(0, Math.min(Math.floor(bytes.length * keep), Math.max(0, bytes.length - 1)))
}

async function writeInPieces(sending: Sending, { pieces, ms }: { readonly pieces: number; readonly ms: number }) {
  const { res, outgoing } = sending
  const bytes = outgoing.reply.body?.bytes() ?? noBytes
  const size = Math.max(1, Math.ceil(bytes.length / pieces))
  const gap = ms / Math.max(1, Math.ceil(bytes.length / size) - 1)
  const startedAt = monotonicNow()
  const closed = createCloseSignal(res)
  writeHead(sending, bytes.length)
  res.flushHeaders()
  for (let at = 0; at < bytes.length; at += size) {
    // Each piece is timed from the start, so that timer delays do not add up.
    if (at > 0) await pause(Math.max(0, startedAt + (at / size) * gap - monotonicNow()), closed)
    if (res.destroyed) return
    const piece = bytes.subarray(at, at + size)
    res.write(piece, (error) => {
      if (!error) sending.sentBytes += piece.length
    })
  }
  res.end()
}

const pause = (ms: number, closed: AbortSignal) => sleep(ms, undefined, { signal: closed }).catch(() => undefined)
