import express, { type Request, type Response } from 'express'
import type { Body, Incoming } from '../exchange.ts'

/** What body-parser's errors carry (its README, "Errors"). */
interface BodyError {
  readonly status: number
  readonly type: string
  readonly message: string
}

/** Reads requests into values; a body that cannot be read is a value too. `bodyLimit` in bytes or as `1mb`. */
export function requestReader(bodyLimit: string) {
  const readRaw = express.raw({ type: () => true, limit: bodyLimit })

  return async function readRequest(req: Request, res: Response, head: Incoming): Promise<Incoming> {
    const body = await new Promise<Body>((resolve) => {
      readRaw(req, res, (error?: unknown) => resolve(error ? unreadable(error, bodyLimit) : bodyOf(req)))
    })
    return { ...head, body }
  }
}

/** A request of which nothing but the head was read. */
export function headOf(req: Request, id: string): Incoming {
  const at = Date.now()
  const received = performance.now()
  const elapsed = () => performance.now() - received
  // Proxies send the absolute form, which means the same (RFC 9112, 3.2.2).
  const [path = '', query = ''] = splitOnce(req.originalUrl.replace(/^https?:\/\/[^/?]*/i, ''), '?')
  return {
    id,
    at,
    elapsed,
    method: req.method,
    path,
    query,
    headers: headersOf(req),
    body: { kind: 'absent' },
  }
}

function bodyOf(req: Request): Body {
  const bytes: unknown = req.body
  return bytes instanceof Uint8Array && bytes.length > 0 ? { kind: 'bytes', bytes } : { kind: 'absent' }
}

function unreadable(error: unknown, limit: string): Body {
  if (!isBodyError(error)) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'unreadable', status: 400, reason: `The body cannot be read: ${why}.` }
  }
  const reason =
    error.type === 'entity.too.large'
      ? `The body is larger than the limit of ${limit}.`
      : `The body cannot be read: ${error.message}.`
  return { kind: 'unreadable', status: error.status, reason }
}

function isBodyError(error: unknown): error is BodyError {
  return error instanceof Error && 'status' in error && 'type' in error
}

function headersOf({ headers }: Request): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
