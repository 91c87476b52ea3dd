import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers that belong to one connection (RFC 9110, 7.6.1) or to a proxy, and those that the HTTP client writes itself.
 * The body is sent decoded and whole, so its `content-encoding` and `expect` are not true any more.
 */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const ofRequest = new Set(['host', 'content-length', 'content-encoding', 'expect'])

/** Adds the name of this proxy to the value of `Via` (RFC 9110, 7.6.3). */
const addVia = (via: string | undefined) => (via === undefined ? '1.1 convsim' : `${via}, 1.1 convsim`)

/** The preferences of the simulator (RFC 7240), which the real service does not know. */
const ownPreference = /^(code|example|seed)\s*(=|;|$)/i

/**
 * Returns the headers with which a request goes on to the real service: without those of its connection, and without
 * the controls of the simulator (`X-Sim-...`, preferences, member of `baggage`, sandbox behind the token).
 * `authorization` is the header's value, if one is sent.
 */
export function forwardRequestHeaders(
  headers: Readonly<Record<string, string>>,
  authorization: string | undefined,
): Record<string, string> {
  const dropped = listConnectionHeaders(headers['connection'])
  const forwarded: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (ofConnection.has(name) || ofRequest.has(name) || dropped.has(name)) continue
    if (name.startsWith('x-sim-') || name === 'authorization') continue
    const kept = keepOthers(name, value)
    if (kept !== '') forwarded[name] = kept
  }
  if (authorization !== undefined) forwarded['authorization'] = authorization
  forwarded['via'] = addVia(headers['via'])
  return forwarded
}

/** Returns a header's value without the items that are for the simulator. */
function keepOthers(name: string, value: string): string {
  if (name === 'prefer') return keepItems(value, (item) => !ownPreference.test(item))
  if (name === 'baggage') return keepItems(value, (item) => !item.startsWith('convsim.'))
  return value
}

const keepItems = (value: string, isKept: (item: string) => boolean) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && isKept(item))
    .join(', ')

/** Returns the names that a `Connection` header adds to those of the connection. */
function listConnectionHeaders(connection = ''): ReadonlySet<string> {
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}

/**
 * Returns the headers with which the real service's response goes on to the client. `X-Sim-...` of a simulator that
 * stands for the service are left out, since the proxy has its own. `cookies` has the values of `Set-Cookie`; `length`
 * the bytes that the service announced, if any.
 */
export function forwardResponseHeaders(received: IncomingHttpHeaders) {
  const { 'content-type': mediaType, 'content-length': length = '', 'set-cookie': cookies = [], ...others } = received
  const dropped = listConnectionHeaders(received.connection)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(others)) {
    if (ofConnection.has(name) || dropped.has(name) || name.startsWith('x-sim-')) continue
    if (typeof value === 'string') headers[name] = value // `Set-Cookie` alone is a list
  }
  headers['via'] = addVia(headers['via'])
  return { headers, cookies, mediaType, length: /^\d{1,15}$/.test(length) ? Number(length) : undefined }
}
