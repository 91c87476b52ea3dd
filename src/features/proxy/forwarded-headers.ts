import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers that belong to one connection (RFC 9110, 7.6.1) or to a proxy, and those that the proxy writes itself. The
 * body is sent decoded and whole, so its `content-encoding` and `expect` are not true any more.
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
const ofRequest = new Set(['host', 'content-length', 'content-encoding', 'expect', 'authorization'])

/** Adds the name of this proxy to the value of `Via` (RFC 9110, 7.6.3). */
const addVia = (via: string | undefined) => (via === undefined ? '1.1 convsim' : `${via}, 1.1 convsim`)

/** Tell the items of headers that are for the simulator: its preferences (RFC 7240), and its members of `baggage`. */
const ownItems = new Map<string, (item: string) => boolean>([
  ['prefer', (item) => /^(code|example|seed)\s*(=|;|$)/i.test(item)],
  ['baggage', (item) => item.startsWith('convsim.')],
])

/**
 * Returns the headers with which a request goes on to the real service: without those of its connection, and without
 * the controls of the simulator (`X-Sim-...`, preferences, member of `baggage`, sandbox behind the token).
 * `authorization` is the header's value, if one is sent.
 */
export function forwardRequestHeaders(
  headers: Readonly<Record<string, string>>,
  authorization: string | undefined,
): Record<string, string> {
  const isDropped = createFilter(headers['connection'])
  const forwarded: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (isDropped(name) || ofRequest.has(name)) continue
    const kept = keepOthers(name, value)
    if (kept !== '') forwarded[name] = kept
  }
  if (authorization !== undefined) forwarded['authorization'] = authorization
  forwarded['via'] = addVia(headers['via'])
  return forwarded
}

function keepOthers(name: string, value: string): string {
  const isOwn = ownItems.get(name)
  if (!isOwn) return value
  const items = value.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '' && !isOwn(item)).join(', ')
}

/** Returns a function that finds headers of the simulator and of one connection, with those that `Connection` names. */
function createFilter(connection = ''): (name: string) => boolean {
  const named = connection.split(',').map((name) => name.trim().toLowerCase())
  return (name) => ofConnection.has(name) || named.includes(name) || name.startsWith('x-sim-')
}

/**
 * Returns the headers with which the real service's response goes on to the client. `X-Sim-...` of a simulator that
 * stands for the service are left out, since the proxy has its own. `cookies` has the values of `Set-Cookie`; `length`
 * the bytes that the service announced, if any.
 */
export function forwardResponseHeaders(received: IncomingHttpHeaders) {
  const { 'content-type': mediaType, 'content-length': length = '', 'set-cookie': cookies = [], ...others } = received
  const isDropped = createFilter(received.connection)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(others))
    if (!isDropped(name) && typeof value === 'string') headers[name] = value // `Set-Cookie` alone is a list
  headers['via'] = addVia(headers['via'])
  return { headers, cookies, mediaType, length: /^\d{1,15}$/.test(length) ? Number(length) : undefined }
}
