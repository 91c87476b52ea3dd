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

/** Returns true for an error reply of Redis, as opposed to no reply. */
export function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/** Returns true for the refusal of a Redis that answers. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && isErrorReply(error.cause)
}

/**
 * Describes an error reply with the next step: `its memory is full. Raise its maxmemory, or delete sandboxes (...). It
 * answers: OOM command not allowed when used memory > 'maxmemory'`. Names and places of scripts are left out.
 */
function describeErrorReply({ message }: Error): string {
  const [said = ''] = message.split(' script: ')
  const text = said.replace(/\.$/, '')
  const meaning = meanings[/^[A-Z]+/.exec(text)?.[0] ?? ''] ?? describeOther(text)
  return meaning === undefined ? `it answers: ${text}` : `${meaning} It answers: ${text}`
}

function describeOther(text: string): string | undefined {
  if (text.includes("can't run this command")) return meanings['NOPERM']
  if (text.includes('cluster mode')) return 'it is a node of a cluster. Name a Redis without cluster mode in --state.'
  if (!/DB index|SELECT/.test(text)) return undefined
  return 'it does not have the database of that URL. Choose a smaller number, or raise its setting "databases".'
}

/** The codes of certificates that the client does not trust, of OpenSSL and of Node. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/

/** The next step for a certificate, by the code of the error. */
const certificateSteps: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a host name that the certificate has',
  CERT_HAS_EXPIRED: 'Renew it',
  CERT_NOT_YET_VALID: 'Check the clock of this machine',
}

const trustStep =
  'If it is right, name the file of its authority (or of the certificate, if it signed itself) in NODE_EXTRA_CA_CERTS'

/** Returns true for an error of a certificate. */
function isCertificateError(error: unknown): error is Error {
  return certificateCode.test(codeOf(error))
}

/** Returns true for the client's error about a reply that it cannot read. */
function isUnreadableReply(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Please report this')
}

/** The reasons for which there is no connection, by the codes of errors of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: ECONNREFUSED',
  ECONNRESET: 'the connection was reset: ECONNRESET',
  EHOSTUNREACH: 'there is no way to its host: EHOSTUNREACH',
  ENETUNREACH: 'there is no way to its network: ENETUNREACH',
  ENOTFOUND: 'no such host is known: ENOTFOUND',
  EAI_AGAIN: 'the name of its host cannot be looked up at present: EAI_AGAIN',
  ETIMEDOUT: 'it did not answer in time',
}

/**
 * Describes why there is no connection or no reply, with the next step if there is one, and without a full stop. The
 * words are our own, since those of the client would tell nothing to a user.
 */
export function describeReason(error: unknown): string {
  if (isErrorReply(error)) return describeErrorReply(error)
  if (isUnreadableReply(error))
    return 'the server there does not answer as Redis does. Look at host and port, or choose a file: --state FILE'
  if (isCertificateError(error)) {
    const step = certificateSteps[codeOf(error)] ?? trustStep
    return `the certificate of that server is not valid here (${error.message.replace(/[.:]\s*$/, '')}). ${step}`
  }
  return reasons[codeOf(error)] ?? 'the connection was closed'
}

/**
 * Describes why a start cannot use Redis, with the next step: `The state in redis://cache:6379 cannot be used (nothing
 * listens there: ECONNREFUSED). Start that server, or choose a file: --state FILE.` `shown`: the URL without user and
 * password.
 */
export function describeStartFault(error: unknown, shown: string): string {
  const problem = `The state in ${shown} cannot be used`
  const reason = describeReason(error)
  if (isErrorReply(error) || isUnreadableReply(error) || isCertificateError(error)) return `${problem}: ${reason}.`
  return `${problem} (${reason}). Start that server, or choose a file: --state FILE.${findSchemeHint(error, shown)}`
}

/** Returns advice on the scheme of the URL where TLS may be used on one side alone. */
function findSchemeHint(error: unknown, shown: string): string {
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(codeOf(error))) return ''
  if (shown.startsWith('rediss:')) return ' If it does not use TLS, the URL begins with redis://.'
  return codeOf(error) === 'ECONNRESET' ? ' If it expects TLS, the URL begins with rediss://.' : ''
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The error of a reply that is too late. */
export const TOO_LATE = Object.assign(new Error('no reply in time'), { code: 'ETIMEDOUT' })

/**
 * Returns the reply, or rejects with `TOO_LATE` if it takes longer than `ms` milliseconds. The time is up only once the
 * input that waits was read: a process that was busy itself, such as with the decoding of a large sandbox, has not read
 * the replies that came meanwhile.
 */
export function replyWithin<T>(ms: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(async () => {
      await nextTurn()
      await nextTurn() // the first one can come before the input
      reject(TOO_LATE)
    }, ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
