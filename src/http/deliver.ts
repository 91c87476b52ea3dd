import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { monotonicNow, sleep } from '../core/timers.ts'
import { immediateDelivery, type OutgoingReply, type SendProgress } from '../exchange/delivery.ts'
import type { RelayedBody, Reply, ReplyStream } from '../exchange/reply.ts'
import { endAtStop } from './end-at-stop.ts'
import { watchEnd } from './watch-end.ts'

/**
 * Writes a reply to the socket in its delivery mode, or nothing where the client has closed the connection. `stopping`: aborted when
 * the server stops. Undefined: the delivery is one that never hangs.
 */
export async function deliver(
  { reply, date, delivery, onEnd }: OutgoingReply,
  res: ServerResponse,
  stopping?: AbortSignal,
): Promise<void> {
  const { mode } = delivery
  const progress: SendProgress = { sentBytes: 0, isCutByStop: false, isCutByUpstream: false }
  if (onEnd) watchEnd(onEnd, delivery, progress, res)
  if (stopping)
    endAtStop(delivery, res, stopping, () => {
      progress.isCutByStop = true
    })
  if (mode.kind === 'hang') return // nothing is sent, and the connection stays open
  if (delivery.delayMs > 0) await pause(delivery.delayMs, res)
  if (res.destroyed) return
  if (reply.stream) return writeStream(reply, reply.stream, res)
  if (reply.relay) return writeRelay(reply, reply.relay, progress, res)
  const bytes = reply.body?.bytes() ?? noBytes
  switch (mode.kind) {
    case 'whole':
      writeHead(reply, date, bytes.length, res)
      res.end(bytes)
      return
    case 'dribble':
      writeHead(reply, date, bytes.length, res)
      return writeInPieces(bytes, mode, progress, res)
    case 'reset':
      res.socket?.resetAndDestroy()
      return
    case 'empty':
      res.socket?.destroy()
      return
    case 'truncated':
      writeHead(reply, date, bytes.length, res)
      res.write(firstShare(bytes, mode.keep), () => res.socket?.destroySoon())
      return
    case 'malformed': {
      const share = firstShare(bytes, mode.keep)
      writeHead(reply, date, share.length, res)
      res.end(share)
    }
  }
}

/** Writes a reply at once and whole, with the machine's time as its `Date`. */
export function deliverImmediately(reply: Reply, res: ServerResponse): void {
  void deliver({ reply, delivery: immediateDelivery, date: undefined }, res)
}

/** Writes a stream no faster than the client reads, then closes the connection, so that a stop need not wait for its next request. */
async function writeStream(reply: Reply, stream: ReplyStream, res: ServerResponse): Promise<void> {
  const clientGone = new AbortController()
  res.once('close', () => clientGone.abort())
  res.setHeader('Connection', 'close')
  writeHead(reply, undefined, undefined, res)
  res.flushHeaders()
  for await (const piece of stream.chunks(clientGone.signal)) {
    if (!res.write(piece)) await once(res, 'drain', { signal: clientGone.signal }).catch(() => undefined)
    if (res.destroyed) return
  }
  res.end()
}

/** Writes the body of the real service as it arrives, no faster than the client reads. If the service breaks it off, so does this. */
async function writeRelay(
  reply: Reply,
  relay: RelayedBody,
  progress: SendProgress,
  res: ServerResponse,
): Promise<void> {
  const clientGone = new AbortController()
  res.once('close', () => clientGone.abort())
  writeHead(reply, undefined, relay.length, res)
  res.flushHeaders()
  try {
    for await (const piece of relay.chunks()) {
      if (res.destroyed) return
      const isRoom = res.write(piece)
      progress.sentBytes += piece.length
      if (!isRoom) await once(res, 'drain', { signal: clientGone.signal }).catch(() => undefined)
    }
    res.end()
  } catch {
    progress.isCutByUpstream = !res.destroyed
    res.destroy()
  }
}

const noBytes = new Uint8Array(0)

function writeHead(
  reply: Reply,
  date: number | undefined,
  length: number | undefined,
  res: ServerResponse,
): void {
  // A flat list is the quickest form: Node writes it without looking up the names.
  const headers: (string | number)[] = []
  const mediaType = reply.body?.mediaType ?? reply.stream?.mediaType ?? reply.relay?.mediaType
  if (mediaType !== undefined) headers.push('Content-Type', mediaType)
  if (length !== undefined) headers.push('Content-Length', length)
  if (date !== undefined) headers.push('Date', httpDate(date))
  for (const name in reply.headers) headers.push(name, reply.headers[name] ?? '')
  if (reply.cookies) for (const cookie of reply.cookies) headers.push('Set-Cookie', cookie)
  res.writeHead(reply.status, headers)
}

/** Formats an instant as HTTP does: `Thu, 15 Jan 2026 12:00:00 GMT`. Caches the text, because most successive replies share a second. */
const httpDate = (() => {
  let second = Number.NaN
  let text = ''
  return (instant: number) => {
    if (Math.floor(instant / 1000) !== second) {
      second = Math.floor(instant / 1000)
      text = new Date(instant).toUTCString()
    }
    return text
  }
})()

/** Returns the first bytes: the share `keep`, from 0 to 1, but never all of them. */
function firstShare(bytes: Uint8Array, keep: number): Uint8Array {
  return bytes.subarray(0, Math.min(Math.floor(bytes.length * keep), Math.max(0, bytes.length - 1)))
}

/** Writes the bytes in `pieces` pieces, evenly over `ms` milliseconds. */
async function writeInPieces(
  bytes: Uint8Array,
  { pieces, ms }: { readonly pieces: number; readonly ms: number },
  progress: SendProgress,
  res: ServerResponse,
): Promise<void> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces))
  const gap = ms / Math.max(1, Math.ceil(bytes.length / size) - 1)
  const startedAt = monotonicNow()
  res.flushHeaders()
  for (let at = 0; at < bytes.length; at += size) {
    // The time of a piece is counted from the start, so that the delays of timers do not add up.
    if (at > 0) await pause(Math.max(0, startedAt + (at / size) * gap - monotonicNow()), res)
    if (res.destroyed) return
    const piece = bytes.subarray(at, at + size)
    res.write(piece, (error) => {
      if (!error) progress.sentBytes += piece.length
    })
  }
  res.end()
}

/** Waits for `ms` milliseconds, or until the client closes the connection. */
async function pause(ms: number, res: ServerResponse): Promise<void> {
  const clientGone = new AbortController()
  const abort = () => clientGone.abort()
  res.once('close', abort)
  await sleep(ms, undefined, { signal: clientGone.signal }).catch(() => undefined) // the only rejection is our own abort
  res.off('close', abort)
}
