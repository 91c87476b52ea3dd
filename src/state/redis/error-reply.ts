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
  if (text.includes('cluster mode'))
    return 'it is a node of a cluster. Name a Redis without cluster mode in --state.'
  if (!/DB index|SELECT/.test(text)) return undefined
  return 'it does not have the database of that URL. Choose a smaller number, or raise its setting "databases".'
}
