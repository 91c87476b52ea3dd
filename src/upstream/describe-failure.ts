import { connect, type PeerCertificate } from 'node:tls'
import { reasonOf } from '../core/result.ts'
import type { TrafficProblem } from '../traffic/sample.ts'
import type { Upstream } from './parse-upstream.ts'

/** The milliseconds in which a server shows its certificate. */
const inspectionMs = 5000

/** The codes of errors about certificates, of OpenSSL and of Node. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

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
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (certificateCode.test(code)) return describeCertificate(upstream, code, reasonOf(cause), now)
  return {
    problem: 'connection',
    sentence: `${upstream.origin} gave no answer: ${reasonOf(cause) || code}. Check the address, and that the service runs.`,
  }
}

async function describeCertificate(
  upstream: Upstream,
  code: string,
  reason: string,
  now: number,
): Promise<TrafficProblem> {
  const certificate = await inspectCertificate(upstream)
  const end = certificate && Date.parse(certificate.valid_to)
  const isExpired = code === 'CERT_HAS_EXPIRED' || (end !== undefined && end < now)
  const since = end !== undefined && Number.isFinite(end) ? ` on ${new Date(end).toISOString()}` : ''
  const fault = isExpired ? `has expired${since}` : `is not trusted: ${reason}`
  const next = isExpired ? 'Renew it.' : 'A private authority is trusted with NODE_EXTRA_CA_CERTS.'
  return {
    problem: 'certificate',
    sentence: `The certificate of ${upstream.host} ${fault} (${code}). ${next} Nothing was sent to it.`,
  }
}

/** Reads the certificate of a server, to which nothing is sent; undefined: it shows none. */
function inspectCertificate({ origin }: Upstream): Promise<PeerCertificate | undefined> {
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const servername = /^[\d.]+$|:/.test(host) ? '' : host
    const connection = connect({ host, port: Number(port) || 443, servername, rejectUnauthorized: false })
    const end = (certificate: PeerCertificate | undefined) => {
      connection.destroy()
      resolve(certificate)
    }
    connection.setTimeout(inspectionMs, () => end(undefined))
    connection.once('secureConnect', () => end(connection.getPeerCertificate()))
    connection.once('error', () => end(undefined))
  })
}
