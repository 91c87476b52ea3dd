import type { ServerResponse } from 'node:http'
import type { Reply } from '../exchange.ts'

/** Puts a reply on the socket. `date` (epoch milliseconds) is the time that the answer claims to be from. */
export function deliver(reply: Reply, res: ServerResponse, date: number): void {
  if (res.destroyed) return
  const bytes = reply.body === undefined ? undefined : Buffer.from(JSON.stringify(reply.body))
  res.writeHead(reply.status, {
    ...(bytes && { 'Content-Type': 'application/json; charset=utf-8' }),
    ...(bytes && { 'Content-Length': bytes.length }),
    Date: new Date(date).toUTCString(),
    ...reply.headers,
  })
  res.end(bytes)
}
