import { connect } from 'node:tls'
import type { TrafficProblem } from '../traffic/sample.ts'
import { describeNetworkError } from './describe-network-error.ts'
import type { Upstream } from './parse-upstream.ts'

/** The milliseconds in which a server shows its certificate. */
const inspectionMs = 5000

/** Describes the reason why a request has no answer. An expired certificate is named with its date. */
export async function describeFailure(
  error: unknown,
  upstream: Upstream,
  timeoutMs: number,
  now: number,
): Promise<TrafficProblem> {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return {
      problem: 'time-out',
      sentence: `No whole answer came within ${timeoutMs} ms. A larger --timeout waits longer.`,
    }
  const fault = describeNetworkError(error, upstream.origin)
  const end = fault.problem === 'certificate' ? await readCertificateEnd(upstream) : undefined
  return end === undefined || end >= now ? fault : describeNetworkError(error, upstream.origin, end)
}

/** Reads the end of the certificate of a server, to which nothing is sent, in epoch milliseconds; undefined: it shows none. */
function readCertificateEnd({ origin }: Upstream): Promise<number | undefined> {
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const servername = /^[\d.]+$|:/.test(host) ? '' : host
    const connection = connect({ host, port: Number(port) || 443, servername, rejectUnauthorized: false })
    const finish = (end: number | undefined) => {
      connection.destroy()
      resolve(end !== undefined && Number.isFinite(end) ? end : undefined)
    }
    connection.setTimeout(inspectionMs, () => finish(undefined))
    connection.once('secureConnect', () => finish(Date.parse(connection.getPeerCertificate().valid_to)))
    connection.once('error', () => finish(undefined))
  })
}
