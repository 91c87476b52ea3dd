import { reasonOf } from '../../core/result.ts'
import { clearTimeout, nextTurn, setTimeout } from '../../core/timers.ts'

const passwordStep = 'Check the user and the password in --state.'

/** The meaning of error replies by their first word, each with the next step. */
const meanings: Readonly<Record<string, string>> = {
  OOM: 'its memory is full. Raise its maxmemory, or delete sandboxes (DELETE /__sim/sandboxes/NAME).',
  READONLY: 'it is a read-only copy of another Redis. Name that one in --state.',
  MISCONF: 'it cannot write to its disk, and refuses changes until it can. Its log tells why.',
  NOREPLICAS: 'it has fewer copies than its min-replicas-to-write. Start them, or lower that setting.',
  LOADING: 'it still loads its data. Try again in a moment.',
  BUSY: 'it is busy with a script. Try again in a moment.',
  NOAUTH: `it asks for a password. ${passwordStep}`,
  WRONGPASS: `it does not accept the password. ${passwordStep}`,
  NOPERM: 'its user may not use a command. Give it a user who may use all commands on these keys.',
  WRONGTYPE: 'another program uses a key with this prefix. Choose another prefix (--state-prefix).',
}

/** An error reply of Redis, as the client throws it. */
export interface ErrorReply extends Error {
  readonly name: 'ReplyError'
}

/** Returns true for an error reply of Redis, as opposed to no reply. */
export function isErrorReply(error: unknown): error is ErrorReply {
  return error instanceof Error && error.name === 'ReplyError'
}

/**
 * Describes an error reply with the next step: `its memory is full. Raise its maxmemory, or delete sandboxes (...). It
 * said: OOM command not allowed when used memory > 'maxmemory'.` Names and places of scripts are left out.
 */
export function describeErrorReply({ message }: ErrorReply): string {
  const [said = ''] = message.split(' script: ') // and the names and places of scripts
  const text = said.endsWith('.') ? said.slice(0, -1) : said
  const meaning = meanings[/^[A-Z]+/.exec(text)?.[0] ?? ''] ?? describeOther(text)
  return meaning === undefined ? `it answers: ${text}.` : `${meaning} It answers: ${text}.`
}

function describeOther(text: string): string | undefined {
  if (text.includes('cluster mode')) return 'it is a node of a cluster. Name a Redis without cluster mode in --state.'
  if (!/DB index|SELECT/.test(text)) return undefined
  return 'it does not have the database of that URL. Choose a smaller number, or raise its setting "databases".'
}

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
    return (
      `The state in ${shown} cannot be used: the server there does not answer as Redis does. ` +
      'Look at host and port, or choose a file: --state FILE.'
    )
  const reason = reasonOf(error).replace(/[.:]\s*$/, '') || codeOf(error)
  if (error instanceof Error && isCertificateError(error)) {
    const step = certificateSteps[codeOf(error)] ?? trustStep
    return `The state in ${shown} cannot be used: the certificate of that server is not valid here (${reason}). ${step}`
  }
  const advice = `Start that server, or choose a file: --state FILE.${findSchemeHint(error, shown)}`
  return `The state in ${shown} cannot be used (${reason}). ${advice}`
}

/** Returns advice on the scheme of the URL where TLS may be used on one side alone. */
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

/** The message of a reply that is too late. */
export const TOO_LATE = 'Command timed out'

/**
 * Returns the reply, or rejects if it takes longer than `ms` milliseconds. The time is up only once the input that
 * waits was read: a process that was busy itself, such as with the decoding of a large sandbox, has not read the
 * replies that came meanwhile.
 */
export function replyWithin<T>(ms: number, reply: Promise<T>, lateMessage = TOO_LATE): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(async () => {
      await nextTurn()
      await nextTurn() // the first one can come before the input
      reject(new Error(lateMessage))
    }, ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
