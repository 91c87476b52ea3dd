import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { refuse } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'

/** Settings of the guard. */
export interface GuardSettings {
  /** Bearer token that a request must carry; undefined: no token is required. */
  readonly token: string | undefined
  /** Host names that are allowed besides those that no public name server can resolve; empty for none. */
  readonly hosts: readonly string[]
}

/** Host names that no foreign page can rebind, because no public name server resolves them. */
const privateNames = ['host.docker.internal']
const privateSuffixes = ['.localhost', '.svc.cluster.local']

/**
 * Refuses a request of a foreign page: by `Origin` where the page calls the control plane, by `Host` where the page rebound a name
 * to this address. A form of a foreign page sends no JSON, without which `read-request.ts` takes no body. Refuses a request without
 * the token, too. Undefined: the request is allowed.
 */
export function guard(
  request: SimRequest,
  { token, hosts }: GuardSettings,
  isHealth: boolean,
): Reply | undefined {
  const host = request.headers['host'] ?? ''
  if (!isAllowedHost(host, hosts)) {
    return refuse(
      403,
      `The control plane does not answer to the host "${host.slice(0, 100)}". If it is yours, list it with --control-hosts.`,
      'simulator',
    )
  }
  if (isFromForeignPage(request, host)) {
    return refuse(403, 'The control plane is closed to pages of other origins.', 'simulator')
  }
  if (token !== undefined && !isHealth && !hasToken(request, token)) {
    const error =
      'The control plane asks for its token. Send it as "Authorization: Bearer <--control-token>".'
    return refuse(401, error, 'simulator', { 'WWW-Authenticate': 'Bearer' })
  }
  return undefined
}

/** Allows an IP address, a name without dots (a compose service), a name that is never public, and a listed name. */
function isAllowedHost(host: string, listed: readonly string[]): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (name === '') return false
  if (isIP(name) !== 0 || !name.includes('.') || privateNames.includes(name)) return true
  return (
    privateSuffixes.some((suffix) => name.endsWith(suffix)) ||
    listed.some((allowed) => allowed.toLowerCase() === name)
  )
}

function isFromForeignPage({ method, headers }: SimRequest, host: string): boolean {
  const origin = headers['origin']
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  // A link from a foreign page only shows our page; the foreign page learns nothing.
  return !(method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

function hasToken({ headers }: SimRequest, token: string): boolean {
  const sent = Buffer.from(/^bearer +(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '')
  const expected = Buffer.from(token)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
