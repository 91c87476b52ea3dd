import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { immediateDelivery, type OutgoingReply } from '../exchange/delivery.ts'
import { bytesOf, type Reply } from '../exchange/reply.ts'

/** Puts a reply on the socket, or does to the socket what was asked for. A client that has gone gets nothing. */
export function deliver(parcel: OutgoingReply, res: ServerResponse): Promise<void> | undefined {
  const { reply, delivery } = parcel
  if (delivery !== immediateDelivery || reply.stream || res.destroyed) return deliverSlowly(parcel, res)
  const bytes = bytesOf(reply)
  writeHead(reply, parcel.date, bytes.length, res)
  res.end(bytes)
  return undefined
}

async function deliverSlowly({ reply, date, delivery }: OutgoingReply, res: ServerResponse): Promise<void> {
  if (delivery.delayMs > 0) await pause(delivery.delayMs, res)
  if (res.destroyed) return
  if (reply.stream) return stream(reply, reply.stream, res)
  const bytes = bytesOf(reply)
  const { mode } = delivery
  switch (mode.kind) {
    case 'whole':
      writeHead(reply, date, bytes.length, res)
      res.end(bytes)
      return
    case 'dribble':
      writeHead(reply, date, bytes.length, res)
      return dribble(bytes, mode.pieces, mode.ms, res)
    case 'hang':
      return
    case 'reset':
      res.socket?.resetAndDestroy()
      return
    case 'empty':
      res.socket?.destroy()
      return
    case 'truncated':
      writeHead(reply, date, bytes.length, res)
      res.write(part(bytes, mode.keep), () => res.socket?.destroySoon())
      return
    case 'malformed': {
      const kept = part(bytes, mode.keep)
      writeHead(reply, date, kept.length, res)
      res.end(kept)
    }
  }
}

/** Puts a reply of the edge's own on the socket, dated by the machine. */
export function deliverPromptly(reply: Reply, res: ServerResponse): void {
  void deliver({ reply, delivery: immediateDelivery, date: undefined }, res)
}

/** Bit by bit, no faster than the client reads. The connection ends with it, so that a stop need not wait for the next request. */
async function stream(
  reply: Reply,
  pieces: NonNullable<Reply['stream']>,
  res: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  res.setHeader('Connection', 'close')
  writeHead(reply, undefined, undefined, res)
  res.flushHeaders()
  for await (const piece of pieces(gone.signal)) {
    if (!res.write(piece)) await once(res, 'drain', { signal: gone.signal }).catch(() => undefined)
    if (res.destroyed) return
  }
  res.end()
}

const jsonType = 'application/json; charset=utf-8'

function writeHead(
  reply: Reply,
  date: number | undefined,
  length: number | undefined,
  res: ServerResponse,
): void {
  // A flat list is what Node writes without looking at each name first.
  const headers: (string | number)[] = []
  if (reply.body !== undefined || reply.stream) headers.push('Content-Type', reply.mediaType ?? jsonType)
  if (length !== undefined) headers.push('Content-Length', length)
  if (date !== undefined) headers.push('Date', httpDate(date))
  for (const name in reply.headers) headers.push(name, reply.headers[name] ?? '')
  res.writeHead(reply.status, headers)
}

/** As HTTP writes an instant, to the second. Most answers are of the same second as the one before. */
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

/** The first share of the bytes; always less than all of them. */
function part(bytes: Uint8Array, keep: number): Uint8Array {
  return bytes.subarray(0, Math.min(Math.floor(bytes.length * keep), Math.max(0, bytes.length - 1)))
}

async function dribble(bytes: Uint8Array, pieces: number, ms: number, res: ServerResponse): Promise<void> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces))
  const gap = ms / Math.max(1, Math.ceil(bytes.length / size) - 1)
  const begun = performance.now()
  res.flushHeaders()
  for (let at = 0; at < bytes.length; at += size) {
    // Until the piece is due, so that late timers do not add up.
    if (at > 0) await pause(Math.max(0, begun + (at / size) * gap - performance.now()), res)
    if (res.destroyed) return
    res.write(bytes.subarray(at, at + size))
  }
  res.end()
}

/** Waits, but no longer than the client does. */
async function pause(ms: number, res: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  res.once('close', leave)
  await wait(ms, undefined, { signal: gone.signal }).catch(() => undefined) // the only rejection is our own abort
  res.off('close', leave)
}
