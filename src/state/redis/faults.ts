import { clearTimeout, nextTurn, setTimeout } from '../../base/core/timers.ts'
import type { RedisLocation } from './location.ts'

const trustStep =
  'To trust it, set NODE_EXTRA_CA_CERTS to a file with its CA certificate (or the certificate itself, if self-signed)'

const passwordStep = 'Check the user and the password in --state.'

/** Explanations for error replies, each with the next step. */
const meanings: readonly (readonly [reply: RegExp, meaning: string])[] = [
  [/^OOM/, 'Redis is out of memory. Raise its maxmemory, or delete sandboxes (DELETE /__sim/sandboxes/NAME).'],
  [/^READONLY/, 'that server is a read-only replica. Use its primary in --state.'],
  [/^MISCONF/, 'Redis cannot write to its disk, and refuses changes until it can. See the Redis log.'],
  [/^NOREPLICAS/, 'Redis has fewer replicas than its min-replicas-to-write. Start more, or lower that setting.'],
  [/^LOADING/, 'Redis is still loading its data. Try again in a moment.'],
  [/^BUSY/, 'Redis is busy running a script. Try again in a moment.'],
  [/^NOAUTH/, `Redis requires a password. ${passwordStep}`],
  [/^WRONGPASS/, `Redis does not accept the password. ${passwordStep}`],
  [
    /^NOPERM|^ERR The user executing the script can't/,
    'the Redis user lacks a permission. Grant the user the ACL rules ' +
      '~{PREFIX* +@read +@write +@scripting +@connection +info, where PREFIX is the value of --state-prefix.',
  ],
  [/^WRONGTYPE/, 'another program uses a key with the same prefix. Choose another prefix (--state-prefix).'],
  [/cluster mode/, 'that server is a node of a cluster. Set --state to a server without cluster mode.'],
  [
    /DB index|SELECT/,
    'Redis does not have the database given in the URL. Choose a lower number, or raise the Redis setting "databases".',
  ],
]

/** The reasons why there is no reply, by operating system error code. The empty code is for errors without a code. */
const reasons: Readonly<Record<string, string>> = {
  '': 'the connection was closed',
  ECONNREFUSED: 'the connection was refused: ECONNREFUSED',
  ECONNRESET: 'the connection was reset: ECONNRESET',
  ENOTFOUND: 'the host is unknown: ENOTFOUND',
  ETIMEDOUT: 'no reply in time',
}

export function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

export function isRefusal(error: unknown): boolean {
  return error instanceof Error && isErrorReply(error.cause)
}

/** Describes an error reply, an unreadable reply or an untrusted certificate. Returns undefined for other failures. */
function describeResponse(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const text = error.message.replace(/ script: .*/s, '').replace(/[.:]\s*$/, '')
  if (isErrorReply(error)) {
    const meaning = meanings.find(([reply]) => reply.test(text))?.[1]
    return meaning === undefined ? `Redis responded: ${text}` : `${meaning} Redis responded: ${text}`
  }
  if (text.includes('Please report this'))
    // the client cannot parse the reply
    return 'that server does not respond like Redis. Check the host and port, or choose a file: --state FILE'
  const code = codeOf(error)
  if (!/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return undefined
  return `the certificate of that server is not trusted (${text}). ${trustStep}`
}

/** Returns why a connection or command failed, with the next step if there is one. The text has no final period. */
export function describeReason(error: unknown): string {
  const code = codeOf(error)
  return describeResponse(error) ?? reasons[code] ?? `Redis cannot be reached: ${code}`
}

export function describeStartError(error: unknown, { displayUrl }: RedisLocation): string {
  const problem = `The state in ${displayUrl} cannot be used`
  const response = describeResponse(error)
  if (response !== undefined) return `${problem}: ${response}.`
  return `${problem} (${describeReason(error)}). Start that server, or choose a file: --state FILE.`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export const TIMEOUT_ERROR = Object.assign(new Error('no reply in time'), { code: 'ETIMEDOUT' })

/**
 * Settles like `reply`, or rejects with `TIMEOUT_ERROR` after `ms` milliseconds. Lets pending input be read before
 * rejecting, since a busy process might not yet have read a reply that has already arrived.
 */
export function replyWithin<T>(ms: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(async () => {
      await nextTurn()
      await nextTurn() // the first turn of the event loop may end before pending input is read
      reject(TIMEOUT_ERROR)
    }, ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
