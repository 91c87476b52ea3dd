import { clearTimeout, nextTurn, setTimeout } from '../../base/core/timers.ts'
import type { RedisLocation } from './location.ts'

const trustStep =
  'If it is correct, put the path of its authority (or of the certificate, if self-signed) in NODE_EXTRA_CA_CERTS'

const passwordStep = 'Check the user and the password in --state.'

/** Explanations of error replies, each with the next step. */
const meanings: readonly (readonly [reply: RegExp, meaning: string])[] = [
  [/^OOM/, 'its memory is full. Raise its maxmemory, or delete sandboxes (DELETE /__sim/sandboxes/NAME).'],
  [/^READONLY/, 'it is a read-only replica. Name its primary in --state.'],
  [/^MISCONF/, 'it cannot write to its disk, and refuses changes until it can. See its log.'],
  [/^NOREPLICAS/, 'it has fewer replicas than its min-replicas-to-write. Start more, or lower that setting.'],
  [/^LOADING/, 'it is still loading its data. Try again in a moment.'],
  [/^BUSY/, 'it is busy running a script. Try again in a moment.'],
  [/^NOAUTH/, `it requires a password. ${passwordStep}`],
  [/^WRONGPASS/, `it does not accept the password. ${passwordStep}`],
  [
    /^NOPERM|^ERR The user executing the script can't/,
    'its user lacks a permission. Grant ~{PREFIX* (with the prefix of the state) ' +
      '+@read +@write +@scripting +@connection +info.',
  ],
  [/^WRONGTYPE/, 'another program uses a key with this prefix. Choose another prefix (--state-prefix).'],
  [/cluster mode/, 'it is a node of a cluster. Name a Redis without cluster mode in --state.'],
  [
    /DB index|SELECT/,
    'it does not have the database in that URL. Choose a lower number, or raise its setting "databases".',
  ],
]

/** The reasons why there is no reply, by error code of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  '': 'the connection was closed',
  ECONNREFUSED: 'the connection was refused: ECONNREFUSED',
  ECONNRESET: 'the connection was reset: ECONNRESET',
  ENOTFOUND: 'the host is unknown: ENOTFOUND',
  ETIMEDOUT: 'it did not respond in time',
}

export function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

export function isRefusal(error: unknown): boolean {
  return error instanceof Error && isErrorReply(error.cause)
}

/** Describes an error reply, without the names and lines of scripts. Returns undefined if there was no reply. */
function describeResponse(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const text = error.message.replace(/ script: .*/s, '').replace(/[.:]\s*$/, '')
  if (isErrorReply(error)) {
    const meaning = meanings.find(([reply]) => reply.test(text))?.[1]
    return meaning === undefined ? `it responds: ${text}` : `${meaning} It responds: ${text}`
  }
  if (text.includes('Please report this'))
    // the client cannot parse the reply
    return 'that server does not respond like Redis. Check host and port, or choose a file: --state FILE'
  const code = codeOf(error)
  if (!/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return undefined
  return `the certificate of that server is not trusted (${text}). ${trustStep}`
}

/** Describes why there is no connection or reply, with the next step if there is one, and without a full stop. */
export function describeReason(error: unknown): string {
  const code = codeOf(error)
  return describeResponse(error) ?? reasons[code] ?? `it cannot be reached: ${code}`
}

export function describeStartFault(error: unknown, { shown }: RedisLocation): string {
  const problem = `The state in ${shown} cannot be used`
  const response = describeResponse(error)
  if (response !== undefined) return `${problem}: ${response}.`
  return `${problem} (${describeReason(error)}). Start that server, or choose a file: --state FILE.`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export const TOO_LATE = Object.assign(new Error('no reply in time'), { code: 'ETIMEDOUT' })

/**
 * Returns the reply, or rejects with `TOO_LATE` after `ms` milliseconds, but not before pending input is read: a busy
 * process may not yet have read the replies that arrived.
 */
export function replyWithin<T>(ms: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(async () => {
      await nextTurn()
      await nextTurn() // the first turn may end before the input is read
      reject(TOO_LATE)
    }, ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
