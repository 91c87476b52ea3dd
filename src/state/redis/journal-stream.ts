/**
 * The journal that all replicas share: a Redis stream of messages, and a stream of bodies that is trimmed by size. The
 * ID of a message is its position, so a gap in the positions shows readers that messages are missing. A hash with the
 * number of exchanges in each sandbox then tells the readers how many exchanges they have missed.
 */
import { randomUUID } from 'node:crypto'
import type { ExchangeStream, MessagePosition, StreamMessage } from '../shared-state.ts'
import type { RedisConnection } from './connection.ts'
import { isRefusal } from './faults.ts'
import { sharedKeys } from './keys.ts'
import { APPEND, READ } from './lua/journal-scripts.ts'

interface JournalStreamOptions {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly replica: string
  /** The approximate maximum number of messages that Redis stores. */
  readonly size: number
}

/** The approximate maximum total size, in bytes, of the bodies that Redis stores for all replicas. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The limits for one read, in messages and in bytes of bodies. They keep each reply to a few megabytes. */
const READ_MESSAGES = 200
const READ_BYTES = 4 * 1024 * 1024

/** A message to append: its kind, sandbox and text, and the bodies of the request and the response. */
type NewMessage = readonly [kind: string, sandbox: string, text: string, request?: string, response?: string]

type RedisStreamEntry = readonly [id: string, fields: readonly string[]]

type ReadReply = [
  id: string,
  end: string,
  entries: RedisStreamEntry[],
  bodies: [id: string, text: string][],
  counts: [sandbox: string, firstId: string, count: string][] | null,
]

export function openJournalStream({ connection, prefix, replica, size }: JournalStreamOptions): ExchangeStream {
  const keys = ['-head', '', '-bodies', '-counts'].map((part) => `${sharedKeys(prefix)}journal${part}`)
  /** The number of the latest known exchange. If Redis loses the stream, the next stream continues from this number. */
  let latest = 0

  async function send(...[kind, sandbox, text, request = '', response = '']: NewMessage): Promise<MessagePosition> {
    const streamArgs = [randomUUID(), latest, size, MAX_BODY_BYTES]
    const reply = await connection.run(APPEND, keys, [...streamArgs, kind, sandbox, text, request, response])
    const [id, number] = reply as [string, string] // the script's return type
    latest = Math.max(latest, Number(number))
    return { id, number: Number(number) }
  }

  /** Appends a message. Returns undefined while Redis refuses changes. */
  const append = (...message: NewMessage) =>
    send(...message).catch((error: unknown) => {
      if (isRefusal(error)) return undefined
      throw error
    })

  return {
    replica,
    append: (...exchange) => append('exchange', ...exchange),
    appendEnd: (text) => append('end', '', text),
    countLost: async (sandboxes) => {
      const counted = await Promise.all(sandboxes.map((sandbox) => append('lost', sandbox, '')))
      return !counted.includes(undefined)
    },
    clear: async (sandbox = '') => void (await send('clear', '', sandbox)),
    read: async (position, withCounts) => {
      const reply = await connection.run(READ, keys, [position, READ_MESSAGES, READ_BYTES, String(withCounts)])
      const [id, end, entries, stored, counts] = reply as unknown as ReadReply
      const bodies = new Map([['0', ''], ...stored])
      const messages = entries.map((entry) => toMessage(entry, bodies))
      for (const message of messages) if (message.kind === 'exchange') latest = Math.max(latest, message.number)
      const latestCounts = counts?.map(
        ([sandbox, firstId, count]) => [sandbox, { firstId, count: Number(count) }] as const,
      )
      return { id, end: Number(end), messages, counts: latestCounts && new Map(latestCounts) }
    },
  }
}

function toMessage([id, fields]: RedisStreamEntry, bodies: ReadonlyMap<string, string>): StreamMessage {
  const position = Number.parseInt(id, 10)
  const [kind, value = '', , firstId = '', , count, , request = '', , response = '', , text = ''] = fields
  if (kind === 'end') return { kind: 'end', position, text: value }
  if (kind === 'clear') return { kind: 'clear', position, sandbox: value === '' ? undefined : value }
  return {
    kind: 'exchange',
    position,
    number: Number(value),
    sandboxPosition: { firstId, count: Number(count) },
    text,
    request: bodies.get(request),
    response: bodies.get(response),
  }
}
