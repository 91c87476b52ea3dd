import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { refuse } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'

/** Settings of the guard. */
export interface GuardSettings {
  /** Bearer token that a request must carry; undefined: no token is required. */
  readonly token: string | undefined
  /**
   * Host names that are allowed besides those that are never public. Empty: all names without dots, since public name servers do not
   * resolve them; with a list, a name without dots must be in it, because a server of the local network may resolve it.
   */
  readonly hosts: readonly string[]
  /** Origins of web pages that may use the control plane besides its own: `http://localhost:6006`. */
  readonly origins: readonly string[]
}

/** Host names that no attacker can rebind to this machine, because no public name server resolves them. */
const privateNames = ['localhost', 'host.docker.internal']
const privateSuffixes = ['.localhost', '.svc.cluster.local']

/**
 * Refuses requests without the token, and requests of foreign web pages:
 * - a script of a foreign page is refused by its `Origin`, or by `Sec-Fetch-Site`;
 * - a page whose host name was rebound to this address (DNS rebinding) is refused by its `Host`;
 * - a form of a foreign page is refused by `read-request.ts`, since forms cannot send JSON.
 *
 * `isPublic`: the request, for health or a file of the console, needs no token. Undefined: the request is allowed.
 */
export function guard(
  request: SimRequest,
  { token, hosts, origins }: GuardSettings,
  isPublic: boolean,
): Reply | undefined {
  const host = request.headers['host'] ?? ''
  if (!isAllowedHost(host, hosts)) {
    return refuse(
      403,
      `The control plane does not answer to the host "${host.slice(0, 100)}". If it is yours, list it with --control-hosts.`,
      'simulator',
    )
  }
  if (isFromForeignPage(request, host, origins)) {
    return refuse(
      403,
      'The control plane is closed to pages of other origins. If the page is yours, list its origin with --control-origins.',
      'simulator',
    )
  }
  if (token !== undefined && !isPublic && !hasToken(request, token)) {
    const error =
      'The control plane asks for its token. Send it as "Authorization: Bearer <--control-token>".'
    return refuse(401, error, 'simulator', { 'WWW-Authenticate': 'Bearer' })
  }
  return undefined
}

/** Returns true for an IP address, a name that is never public, and a listed name; without a list for any name without dots (a compose service). */
function isAllowedHost(host: string, listed: readonly string[]): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (name === '') return false
  if (isIP(name) !== 0 || privateNames.includes(name)) return true
  if (listed.length === 0 && !name.includes('.')) return true
  return (
    privateSuffixes.some((suffix) => name.endsWith(suffix)) ||
    listed.some((allowed) => allowed.toLowerCase() === name)
  )
}

function isFromForeignPage(
  { method, headers }: SimRequest,
  host: string,
  allowed: readonly string[],
): boolean {
  const origin = headers['origin']
  if (origin !== undefined && allowed.includes(origin)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  // A link from a foreign page navigates to ours; the foreign page cannot read the answer.
  return !(method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

function hasToken({ headers }: SimRequest, token: string): boolean {
  const sent = Buffer.from(/^bearer (.*)$/i.exec(headers['authorization'] ?? '')?.[1]?.trimStart() ?? '')
  const expected = Buffer.from(token)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
