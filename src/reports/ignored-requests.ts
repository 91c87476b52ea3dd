import type { JournalEntry } from '../journal/entry.ts'

const browserPath = /^\/(?:favicon|apple-touch-icon|browserconfig\.xml|robots\.txt|\.well-known\/)/i

/** The user agents of probes: of Kubernetes, of load balancers, and of monitoring. */
const probeAgent = /^(?:kube-probe|ELB-HealthChecker|GoogleHC|Consul Health Check|Prometheus|Blackbox Exporter)\b/i

/**
 * Returns true for a request that the tested client did not send: one that the console sent again, and one outside the
 * contract that a browser sends by itself or for its address bar, or that a probe sends. The requests of scripts in a
 * page (`Sec-Fetch-Dest: empty`) are those of a client.
 */
export function isIgnoredRequest({ operation, replayOf, request }: JournalEntry): boolean {
  const { method, path, headers } = request
  if (replayOf !== undefined) return true
  if (operation !== undefined || (method !== 'GET' && method !== 'HEAD')) return false
  const { 'sec-fetch-dest': destination = 'empty', 'user-agent': agent = '' } = headers
  return destination !== 'empty' || probeAgent.test(agent) || browserPath.test(path)
}
