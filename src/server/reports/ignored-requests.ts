import type { JournalEntry } from '../journal/entry.ts'

const browserPath = /^\/(?:favicon|apple-touch-icon|browserconfig\.xml|robots\.txt|\.well-known\/)/i

/** The user agents of probes: of Kubernetes, of load balancers, and of monitoring. */
const probeAgent = /^(?:kube-probe|ELB-HealthChecker|GoogleHC|Consul Health Check|Prometheus|Blackbox Exporter)\b/i

/**
 * Returns true for a request that the tested client did not send: the console sent it again, or it is outside the
 * contract, of a probe or of a browser by itself. A script in a page (`Sec-Fetch-Dest: empty`) is a client.
 */
export function isIgnoredRequest({ operation, replayOf, request }: JournalEntry): boolean {
  const { method, path, headers } = request
  if (replayOf !== undefined) return true
  if (operation !== undefined || (method !== 'GET' && method !== 'HEAD')) return false
  const { 'sec-fetch-dest': destination = 'empty', 'user-agent': agent = '' } = headers
  return destination !== 'empty' || probeAgent.test(agent) || browserPath.test(path)
}
