/** A failure to reach the real service, or to hear from it. */
export interface UpstreamProblem {
  readonly kind: 'time-out' | 'connection' | 'certificate'
  /** The failure and what to do about it. It names the origin of the service and nothing of the request. */
  readonly sentence: string
}

/** The codes of an untrusted or unfit certificate, and what is wrong with it. */
const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is signed by an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes without those of its authority',
}

/** The codes of a connection that cannot be made, or broke before an answer, and what is wrong. */
const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection; is it running, and is the port right?',
  ENOTFOUND: 'its host name is not known; is it spelt right?',
  EAI_AGAIN: 'its host name cannot be looked up now; is there a network?',
  ECONNRESET: 'it broke the connection before it answered.',
  EPIPE: 'it broke the connection before it answered.',
  EHOSTUNREACH: 'there is no way to its address; is there a network, a VPN?',
  ENETUNREACH: 'there is no way to its address; is there a network, a VPN?',
  ETIMEDOUT: 'the connection could not be made in time; does a firewall drop it?',
  EPROTO: 'it does not speak TLS as expected; is the scheme right, https or http?',
  HPE_INVALID_CONSTANT: 'it does not answer with HTTP; is the scheme right, https or http?',
}

/** Describes the error with which Node ends a request to the real service. */
export function describeNetworkError(error: unknown, origin: string): UpstreamProblem {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  const certificate = certificateFaults[code]
  if (certificate !== undefined) {
    const sentence = `The real service at ${origin} cannot be trusted: ${certificate} (${code}). If the certificate is right, name the file of its authority in NODE_EXTRA_CA_CERTS.`
    return { kind: 'certificate', sentence }
  }
  const fault = connectionFaults[code] ?? `${message.replace(/\.$/, '')}.`
  return {
    kind: 'connection',
    sentence: `The real service at ${origin} cannot be reached: ${fault}${code === '' ? '' : ` (${code})`}`,
  }
}

/** Describes an answer that did not begin in time. */
export function describeTimeOut(origin: string, timeoutMs: number): UpstreamProblem {
  return {
    kind: 'time-out',
    sentence: `The real service at ${origin} did not begin its answer within ${timeoutMs / 1000} s. If it needs longer, raise --upstream-timeout.`,
  }
}
