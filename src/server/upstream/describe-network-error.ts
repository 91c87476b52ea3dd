import type { TrafficProblem } from './traffic/sample.ts'

/** The codes of an untrusted or unfit certificate, and what is wrong with it. */
const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes without those of its authority',
}

/** The codes of other errors about certificates, of OpenSSL and of Node. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

const broken = 'it broke the connection before it responded.'
const noWay = 'there is no way to its address; is there a network, a VPN?'
const noTls = 'it does not speak TLS as expected; is the scheme right, https or http?'
const noHttp = 'it does not respond with HTTP; is the scheme right, https or http?'
const tooSlow = 'the connection could not be made in time; does a firewall drop it?'

/** The codes of a connection that cannot be made, or broke before a response: of Node and its `fetch` (`UND_...`). */
const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection; is it running, and is the port right?',
  ENOTFOUND: 'its host name is not known; is it spelt right?',
  EAI_AGAIN: 'its host name cannot be looked up now; is there a network?',
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ETIMEDOUT: tooSlow,
  UND_ERR_CONNECT_TIMEOUT: tooSlow,
  EPROTO: noTls,
  HPE_INVALID_CONSTANT: noHttp,
}

/** Describes the error with which a request to the real service ends, of Node's client or of `fetch`. */
export function describeNetworkError(error: unknown, origin: string): TrafficProblem {
  const { code, message } = readNetworkError(error)
  const isCertificate = certificateCode.test(code)
  const certificate =
    certificateFaults[code] ?? (isCertificate ? `its certificate is not valid: ${message}` : undefined)
  if (certificate !== undefined) {
    const sentence =
      `The real service at ${origin} cannot be trusted: ${certificate} (${code}). Nothing was sent to it. ` +
      'If the certificate is right, name the file of its authority in NODE_EXTRA_CA_CERTS.'
    return { problem: 'certificate', sentence }
  }
  const tlsFault = code.startsWith('ERR_SSL_') ? noTls : undefined
  const fault = connectionFaults[code] ?? tlsFault ?? `${message.replace(/\.$/, '')}.`
  return {
    problem: 'connection',
    sentence: `The real service at ${origin} cannot be reached: ${fault}${code === '' ? '' : ` (${code})`}`,
  }
}

/** Returns code and message of an error; of one without a code, as `fetch` throws, those of its cause. */
function readNetworkError(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  const { message, cause } = error
  if ('code' in error && typeof error.code === 'string') return { code: error.code, message }
  return cause instanceof Error ? readNetworkError(cause) : { code: '', message }
}

/** Describes a response that did not begin in time. */
export function describeTimeOut(origin: string, timeoutMs: number): TrafficProblem {
  return {
    problem: 'time-out',
    sentence:
      `The real service at ${origin} did not begin its response within ${timeoutMs / 1000} s. ` +
      'If it needs longer, raise --upstream-timeout.',
  }
}

/** Describes the reason why a request has no response. */
export function describeFailure(error: unknown, origin: string, timeoutMs: number): TrafficProblem {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return {
      problem: 'time-out',
      sentence: `No whole response came within ${timeoutMs} ms. A larger --timeout waits longer.`,
    }
  return describeNetworkError(error, origin)
}
