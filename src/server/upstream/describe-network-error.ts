import type { TrafficProblem } from './traffic/sample.ts'

const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

const noTls = 'the TLS handshake failed; is the scheme (https or http) correct?'

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection; is it running, and is the port correct?',
  ENOTFOUND: 'its host name is unknown; is it spelled correctly?',
  EAI_AGAIN: 'its host name cannot be resolved right now; is there a network connection?',
  ECONNRESET: 'it closed the connection before the response was complete.',
  EHOSTUNREACH: 'there is no route to its address; is there a network or VPN connection?',
  ETIMEDOUT: 'the connection timed out; is a firewall blocking it?',
  EPROTO: noTls,
  HPE_INVALID_CONSTANT: 'its response is not HTTP; is the scheme (https or http) correct?',
}

export function describeNetworkError({ code = '', message }: NodeJS.ErrnoException, origin: string): TrafficProblem {
  if (certificateCode.test(code)) {
    const sentence =
      `The real service at ${origin} cannot be trusted: ${message} (${code}). Nothing was sent to it. ` +
      'If the certificate is correct, set NODE_EXTRA_CA_CERTS to the path of its CA certificate.'
    return { problem: 'certificate', sentence }
  }
  const explanation = code.startsWith('ERR_SSL_') ? noTls : (explanations[code] ?? `${message.replace(/\.$/, '')}.`)
  const suffix = code === '' ? '' : ` (${code})`
  return {
    problem: 'connection',
    sentence: `There was no valid response from the real service at ${origin}: ${explanation}${suffix}`,
  }
}

export function describeTimeout(origin: string, timeoutMs: number, flag = '--upstream-timeout'): TrafficProblem {
  const sentence = `The real service at ${origin} did not respond within ${timeoutMs / 1000} s.`
  return { problem: 'time-out', sentence: `${sentence} If it needs longer, raise ${flag}.` }
}
