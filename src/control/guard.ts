import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { refuse } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'

export interface GuardSettings {
  /** Asked for as a bearer token; undefined: none is. */
  readonly token: string | undefined
  /** Host names that are ours besides those that cannot be anybody else's. */
  readonly hosts: readonly string[]
}

/** Names that no page elsewhere can make its own: no public name server gives them out. */
const ownNames = ['host.docker.internal']
const ownSuffixes = ['.localhost', '.svc.cluster.local']

/**
 * Keeps the control plane closed to the web: a page elsewhere must neither call it (`Origin`) nor rebind a name to it
 * (`Host`). A body must say that it is JSON, which no form can. Undefined: the request may go on.
 */
export function guard(
  request: SimRequest,
  { token, hosts }: GuardSettings,
  isHealth: boolean,
): Reply | undefined {
  const host = request.headers['host'] ?? ''
  if (!isOwnHost(host, hosts)) {
    return refuse(
      403,
      `The control plane does not answer to the host "${host.slice(0, 100)}". If it is yours, list it with --control-hosts.`,
      'simulator',
    )
  }
  if (isForeign(request, host)) {
    return refuse(403, 'The control plane is closed to pages of other origins.', 'simulator')
  }
  if (token !== undefined && !isHealth && !hasToken(request, token)) {
    const error =
      'The control plane asks for its token. Send it as "Authorization: Bearer <--control-token>".'
    return refuse(401, error, 'simulator', { 'WWW-Authenticate': 'Bearer' })
  }
  return undefined
}

/** An IP address, a name without dots (a compose service), a name that is never public, or one of the list. */
function isOwnHost(host: string, listed: readonly string[]): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (name === '') return false
  if (isIP(name) !== 0 || !name.includes('.') || ownNames.includes(name)) return true
  return (
    ownSuffixes.some((suffix) => name.endsWith(suffix)) || listed.some((one) => one.toLowerCase() === name)
  )
}

function isForeign({ method, headers }: SimRequest, host: string): boolean {
  const origin = headers['origin']
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  // Following a link to us shows our page and tells the other side nothing.
  return !(method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

function hasToken({ headers }: SimRequest, token: string): boolean {
  const sent = Buffer.from(/^bearer +(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '')
  const wanted = Buffer.from(token)
  return sent.length === wanted.length && timingSafeEqual(sent, wanted)
}
