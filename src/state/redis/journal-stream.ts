/**
 * The journal of all replicas: a stream of messages in Redis, with the bodies in a stream of their own, which is
 * trimmed by bytes.
 *
 * A message is an exchange, a later end of its delivery, or the clearing of a sandbox. Its id is its position, so a
 * reader sees by a gap that messages were trimmed. A hash has, for each sandbox, the number of its first exchange since
 * it was cleared, and the count since then: by it a reader knows how many exchanges of each sandbox it has missed.
 */
import { randomUUID } from 'node:crypto'
import type { ExchangeStream, MessagePlace, SharedResponse, StreamBatch, StreamMessage } from '../exchanges.ts'
import type { RedisConnection } from './connection.ts'
import { isRefusal } from './faults.ts'
import { sharedKeys } from './keys.ts'
import { APPEND, READ } from './lua/journal-scripts.ts'

/** The parts and bounds of a stream. */
export interface JournalStreamOptions {
  readonly connection: RedisConnection
  readonly prefix: string
  /** The id of this process. */
  readonly replica: string
  /** The messages that Redis stores, about. */
  readonly size: number
}

/** The most bytes of stored bodies, of all replicas together. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The most messages, bytes of bodies, and counts, that are read at once; the reply is a few megabytes at most. */
const READ_MESSAGES = 200
const READ_BYTES = 4 * 1024 * 1024
const READ_COUNTS = 1000

/** An appended message. `end` is the place of its response's body: the number of bytes of bodies up to its end. */
interface AppendedMessage extends MessagePlace {
  readonly end: number
}

/** A message to append: its kind, the sandbox, a text, and the bodies of request and response. */
type NewMessage = readonly [kind: string, sandbox: string, text: string, request: string, response: string]

type RedisStreamEntry = readonly [id: string, fields: readonly string[]]

/** The reply of `READ`. */
type ReadReply = [
  id: string,
  end: string,
  entries: RedisStreamEntry[],
  bodies: [id: string, text: string][],
  cursor: string,
  counts: [sandbox: string, begun: string, count: string][],
]

/** The stream of the journal in Redis. */
export class RedisJournalStream implements ExchangeStream {
  readonly replica: string
  readonly #options: JournalStreamOptions
  readonly #keys: readonly string[]
  /** The messages of this turn, which one script appends in their order, and its reply. */
  #messages: NewMessage[] = []
  #sent: Promise<readonly AppendedMessage[]> | undefined
  /** The number of the latest known exchange, behind which a new stream begins where Redis has lost this one. */
  #latest = 0
  /**
   * The messages whose responses' bodies are stored, by the keys of the responses, and the one with the latest body.
   */
  readonly #stored = new WeakMap<object, AppendedMessage>()
  #lastBody: AppendedMessage = { id: '', number: 0, end: 0 }

  constructor(options: JournalStreamOptions) {
    this.#options = options
    this.replica = options.replica
    this.#keys = ['-head', '', '-bodies', '-counts'].map((part) => `${sharedKeys(options.prefix)}journal${part}`)
  }

  async append(
    sandbox: string,
    entry: string,
    request: string,
    { key, text }: SharedResponse,
  ): Promise<MessagePlace | undefined> {
    const appended = await this.#append(['exchange', sandbox, entry, request, this.#findStored(key) ?? text()])
    if (!appended || appended.end === 0) return appended
    if (key) this.#stored.set(key, appended)
    if (appended.id !== this.#lastBody.id || appended.end > this.#lastBody.end) this.#lastBody = appended
    return appended
  }

  appendEnd(text: string): Promise<MessagePlace | undefined> {
    return this.#append(['end', '', text, '', ''])
  }

  async countLost(sandboxes: readonly string[]): Promise<boolean> {
    const counted = await Promise.all(sandboxes.map((sandbox) => this.#append(['lost', sandbox, '', '', ''])))
    return !counted.includes(undefined)
  }

  async clear(sandbox: string | undefined): Promise<void> {
    await this.#send([['clear', '', sandbox ?? '', '', '']])
  }

  /** Returns the reference to a stored body that is not trimmed soon, if any. */
  #findStored(key: object | undefined): string | undefined {
    const stored = key && this.#stored.get(key)
    const { id, end } = this.#lastBody
    return stored && stored.id === id && end - stored.end < MAX_BODY_BYTES / 2 ? `=${stored.end}` : undefined
  }

  /** Appends a message together with the others of the turn. Returns undefined while Redis refuses changes. */
  async #append(message: NewMessage): Promise<AppendedMessage | undefined> {
    const index = this.#messages.push(message) - 1
    this.#sent ??= Promise.resolve().then(() => {
      const messages = this.#messages
      this.#messages = []
      this.#sent = undefined
      return this.#send(messages)
    })
    try {
      return (await this.#sent)[index]
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }

  async #send(messages: readonly NewMessage[]): Promise<readonly AppendedMessage[]> {
    const args = [randomUUID(), this.#latest, this.#options.size, MAX_BODY_BYTES, ...messages.flat()]
    const reply = await this.#options.connection.run(APPEND, this.#keys, args)
    const [id, places] = reply as [string, [number: string, end: string][]] // the script returns these
    const appended = places.map(([number, end]) => ({ id, number: Number(number), end: Number(end) }))
    this.#latest = Math.max(this.#latest, ...appended.map(({ number }) => number))
    return appended
  }

  async read(position: number, cursor: string | undefined): Promise<StreamBatch> {
    const args = [position, READ_MESSAGES, READ_BYTES, cursor === '' ? '0' : (cursor ?? ''), READ_COUNTS]
    const reply = await this.#options.connection.run(READ, this.#keys, args)
    const [id, end, entries, stored, next, counts] = reply as unknown as ReadReply
    const bodies = new Map([['0', ''], ...stored])
    const messages = entries.map((entry) => toMessage(entry, bodies))
    for (const message of messages)
      if (message.kind === 'exchange') this.#latest = Math.max(this.#latest, message.number)
    return {
      id,
      end: Number(end),
      messages,
      counts: new Map(counts.map(([sandbox, begun, count]) => [sandbox, { begun, count: Number(count) }])),
      cursor: next === '0' ? undefined : next,
    }
  }
}

function toMessage([name, fields]: RedisStreamEntry, bodies: ReadonlyMap<string, string>): StreamMessage {
  const position = Number.parseInt(name, 10)
  const [kind, value = '', , begun = '', , count, , request = '', , response = '', , text = ''] = fields
  if (kind === 'end') return { kind: 'end', position, text: value }
  if (kind === 'clear') return { kind: 'clear', position, sandbox: value === '' ? undefined : value }
  return {
    kind: 'exchange',
    position,
    number: Number(value),
    place: { begun, count: Number(count) },
    text,
    request: bodies.get(request),
    response: bodies.get(response),
  }
}
