import { reasonOf } from '../../core/result.ts'
import { describeErrorReply, isErrorReply } from './error-reply.ts'
import { TOO_LATE } from './reply-within.ts'

/** The codes of certificates that the client does not trust, of OpenSSL and of Node. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

/** The next step for a certificate, by the code of the error. */
const certificateSteps: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a host name that the certificate has.',
  CERT_HAS_EXPIRED: 'Renew it.',
  CERT_NOT_YET_VALID: 'Check the clock of this machine.',
}

/** A part of the client's message about a reply that it cannot read. */
const UNREADABLE = 'Please report this'

const trustStep =
  'If it is right, name the file of its authority (or of the certificate, if it signed itself) in NODE_EXTRA_CA_CERTS.'

/** Returns true for an error of a certificate, which another attempt does not mend. */
export function isCertificateError(error: Error): boolean {
  return certificateCode.test(codeOf(error))
}

/**
 * Describes why a start cannot connect to Redis, with the next step: `The state in redis://cache:6379 cannot be used
 * (connect ECONNREFUSED 10.0.0.7:6379). Start that server, or choose a file: --state FILE.` `shown`: the URL without
 * user and password.
 */
export function describeStartFault(error: unknown, shown: string): string {
  if (isErrorReply(error)) return `The state in ${shown} cannot be used: ${describeErrorReply(error)}`
  if (error instanceof Error && error.message.includes(UNREADABLE))
    return `The state in ${shown} cannot be used: the server there does not answer as Redis does. Look at host and port, or choose a file: --state FILE.`
  const reason = reasonOf(error).replace(/[.:]\s*$/, '') || codeOf(error)
  if (error instanceof Error && isCertificateError(error)) {
    const step = certificateSteps[codeOf(error)] ?? trustStep
    return `The state in ${shown} cannot be used: the certificate of that server is not valid here (${reason}). ${step}`
  }
  return `The state in ${shown} cannot be used (${reason}). Start that server, or choose a file: --state FILE.${findSchemeHint(error, shown)}`
}

/**
 * A server that expects TLS ends a connection without it; one without TLS waits for more of the handshake, or sends
 * what is no TLS.
 */
function findSchemeHint(error: unknown, shown: string): string {
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(codeOf(error))) return ''
  if (shown.startsWith('rediss:')) return ' If it does not use TLS, the URL begins with redis://.'
  return codeOf(error) === 'ECONNRESET' ? ' If it expects TLS, the URL begins with rediss://.' : ''
}

/** The reasons for which there is no connection, by the codes of errors of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: ECONNREFUSED',
  ECONNRESET: 'the connection was reset: ECONNRESET',
  EHOSTUNREACH: 'there is no way to its host: EHOSTUNREACH',
  ENETUNREACH: 'there is no way to its network: ENETUNREACH',
  ENOTFOUND: 'no such host is known: ENOTFOUND',
  EAI_AGAIN: 'the name of its host cannot be looked up at present: EAI_AGAIN',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'it did not answer in time',
}

/** Returns why there is no connection, in words of our own: those of the client would tell nothing to a user. */
export function describeReason(error: unknown): string {
  if (isErrorReply(error)) return describeErrorReply(error).replace(/\.$/, '')
  if (!(error instanceof Error)) return 'the connection was closed'
  if (error.message === TOO_LATE) return reasons['ETIMEDOUT'] ?? ''
  if (isCertificateError(error)) return `its certificate is not valid here: ${codeOf(error)}`
  if (error.message.includes(UNREADABLE)) return 'the server there does not answer as Redis does'
  return reasons[codeOf(error)] ?? 'the connection was closed'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
