import type { TrafficProblem } from './traffic/sample.ts'

/** The pattern of all codes about certificates, of OpenSSL and of Node. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

const noTls = 'it does not speak TLS as expected; is the scheme right, https or http?'

/** The codes of a connection that failed, or broke before a response. */
const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection; is it running, and is the port right?',
  ENOTFOUND: 'its host name is not known; is it spelt right?',
  EAI_AGAIN: 'its host name cannot be looked up now; is there a network?',
  ECONNRESET: 'it broke the connection before it responded.',
  EHOSTUNREACH: 'there is no way to its address; is there a network, a VPN?',
  ETIMEDOUT: 'the connection could not be made in time; does a firewall drop it?',
  EPROTO: noTls,
  HPE_INVALID_CONSTANT: 'it does not respond with HTTP; is the scheme right, https or http?',
}

export function describeNetworkError({ code = '', message }: NodeJS.ErrnoException, origin: string): TrafficProblem {
  if (certificateCode.test(code)) {
    const sentence =
      `The real service at ${origin} cannot be trusted: ${message} (${code}). Nothing was sent to it. ` +
      'If the certificate is right, name the file of its authority in NODE_EXTRA_CA_CERTS.'
    return { problem: 'certificate', sentence }
  }
  const fault = code.startsWith('ERR_SSL_') ? noTls : (connectionFaults[code] ?? `${message.replace(/\.$/, '')}.`)
  const suffix = code === '' ? '' : ` (${code})`
  return { problem: 'connection', sentence: `The real service at ${origin} cannot be reached: ${fault}${suffix}` }
}

export function describeTimeOut(origin: string, timeoutMs: number, flag = '--upstream-timeout'): TrafficProblem {
  const sentence = `The real service at ${origin} did not respond within ${timeoutMs / 1000} s.`
  return { problem: 'time-out', sentence: `${sentence} If it needs longer, raise ${flag}.` }
}
