import { isIP } from 'node:net'
import type { CorsOrigins } from '../../base/core/origins.ts'
import { refuse } from './refusals.ts'
import type { Reply } from './reply.ts'
import type { SimRequest } from './request.ts'

export interface PageSettings {
  /**
   * Host names that are allowed besides those that are never public. Empty: all names without dots, since public name
   * servers do not resolve them; with a list, a name without dots must be in it, because a server of the local network
   * may resolve it.
   */
  readonly hosts: readonly string[]
  /** Origins of web pages that may send requests, besides the own one: `http://localhost:6006`. */
  readonly origins: readonly string[]
  /** The origins of pages whose scripts may read responses of the service; of a proxy only `--control-origins`. */
  readonly cors: CorsOrigins
}

/** Host names that no attacker can rebind to this machine, because no public name server resolves them. */
const privateNames = ['localhost', 'host.docker.internal']
const privateSuffixes = ['.localhost', '.svc.cluster.local']

/**
 * Refuses requests of foreign web pages with 403; undefined: the request is allowed.
 * - A script of a foreign page is refused by its `Origin`, or by `Sec-Fetch-Site`.
 * - A page whose host name was rebound to this address (DNS rebinding) is refused by its `Host`.
 *
 * `name` is the subject of the refusals: `The control plane`. `allowsLinks` allows links of a foreign page: it cannot
 * read the response, but the GET is carried out.
 */
export function refuseForeignPage(
  request: SimRequest,
  { hosts, origins }: PageSettings,
  { name, allowsLinks }: { readonly name: string; readonly allowsLinks: boolean },
): Reply | undefined {
  const host = request.headers['host'] ?? ''
  if (!isAllowedHost(host, hosts)) {
    const problem = `${name} does not serve the host "${host.slice(0, 100)}".`
    return refuse(403, `${problem} If it is yours, list it with --control-hosts.`, 'simulator')
  }
  if (isFromForeignPage(request, origins, allowsLinks)) {
    const problem = `${name} is closed to pages of other origins.`
    return refuse(403, `${problem} If the page is yours, list its origin with --control-origins.`, 'simulator')
  }
  return undefined
}

/** Returns true for an IP address, a name that is never public or listed; without a list for any without dots. */
function isAllowedHost(host: string, listed: readonly string[]): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (name === '') return false
  if (isIP(name) !== 0 || privateNames.includes(name)) return true
  if (listed.length === 0 && !name.includes('.')) return true
  return (
    privateSuffixes.some((suffix) => name.endsWith(suffix)) || listed.some((allowed) => allowed.toLowerCase() === name)
  )
}

function isFromForeignPage({ method, headers }: SimRequest, allowed: readonly string[], allowsLinks: boolean): boolean {
  const { host, origin } = headers
  if (origin !== undefined && allowed.includes(origin)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  // Another port of localhost is same-site, and none is what the user typed.
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(allowsLinks && method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}
