/**
 * The journal of all replicas: a stream of messages in Redis, with the bodies in a stream of their own, which is
 * trimmed by bytes.
 *
 * A message is an exchange, a later end of its delivery, or the clearing of a sandbox. Its id is its position, so a
 * reader sees by a gap that messages were trimmed. A hash has, for each sandbox, the number of its first exchange since
 * it was cleared, and the count since then: by it a reader knows how many exchanges of each sandbox it has missed.
 */
import { randomUUID } from 'node:crypto'
import type {
  AppendedExchange,
  ExchangeStream,
  SandboxPlace,
  SharedAnswer,
  StreamBatch,
  StreamMessage,
} from '../exchanges.ts'
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

/** The place of a stored body: the stream, and its id there, which is the number of bytes up to its end. */
interface StoredBody {
  readonly stream: string
  readonly end: number
}

/** A message that waits for the end of the turn. */
interface QueuedMessage {
  readonly args: readonly string[]
  readonly answer: object | undefined
  readonly resolve: (appended: AppendedExchange | undefined) => void
  readonly reject: (error: unknown) => void
}

type RedisStreamEntry = readonly [id: string, fields: readonly string[]]

/** The stream of the journal in Redis. */
export class RedisJournalStream implements ExchangeStream {
  readonly replica: string
  readonly #options: JournalStreamOptions
  readonly #keys: readonly string[]
  #queue: QueuedMessage[] = []
  /** The number of the latest known exchange, behind which a new stream begins where Redis has lost this one. */
  #latest = 0
  /** The stored bodies of answers by their keys, and the end of the latest body. */
  readonly #stored = new WeakMap<object, StoredBody>()
  #lastBody: StoredBody = { stream: '', end: 0 }

  constructor(options: JournalStreamOptions) {
    this.#options = options
    this.replica = options.replica
    this.#keys = ['-head', '', '-bodies', '-counts'].map((part) => `${sharedKeys(options.prefix)}journal${part}`)
  }

  append(
    sandbox: string,
    entry: string,
    request: string,
    { key, text }: SharedAnswer,
  ): Promise<AppendedExchange | undefined> {
    return this.#enqueue(['exchange', sandbox, entry, request, this.#findStored(key) ?? text()], key)
  }

  appendEnd(text: string): Promise<AppendedExchange | undefined> {
    return this.#enqueue(['end', '', text, '', ''])
  }

  /** Returns the reference to a stored body that is not trimmed soon, if any. */
  #findStored(key: object | undefined): string | undefined {
    const stored = key && this.#stored.get(key)
    const { stream, end } = this.#lastBody
    return stored && stored.stream === stream && end - stored.end < MAX_BODY_BYTES / 2 ? `=${stored.end}` : undefined
  }

  /** Sends all messages of a turn by one script, in their order. */
  #enqueue(args: readonly string[], answer?: object): Promise<AppendedExchange | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ args, answer, resolve, reject }) === 1) queueMicrotask(() => void this.#send())
    })
  }

  async #send(): Promise<void> {
    const sent = this.#queue
    this.#queue = []
    try {
      const [id, appended] = await this.#append(sent.flatMap((message) => message.args))
      for (const [index, { answer, resolve }] of sent.entries()) {
        const number = Number(appended[2 * index])
        this.#latest = Math.max(this.#latest, number)
        this.#storePlace({ stream: id, end: Number(appended[2 * index + 1]) }, answer)
        resolve({ id, number })
      }
    } catch (error) {
      for (const { resolve, reject } of sent) {
        if (isRefusal(error)) resolve(undefined)
        else reject(error)
      }
    }
  }

  #storePlace(stored: StoredBody, key: object | undefined): void {
    if (stored.end === 0) return
    if (key) this.#stored.set(key, stored)
    if (stored.stream !== this.#lastBody.stream || stored.end > this.#lastBody.end) this.#lastBody = stored
  }

  async countLost(sandboxes: readonly string[]): Promise<boolean> {
    const counted = await Promise.all(sandboxes.map((sandbox) => this.#enqueue(['lost', sandbox, '', '', ''])))
    return !counted.includes(undefined)
  }

  async clear(sandbox: string | undefined): Promise<void> {
    await this.#append(['clear', '', sandbox ?? '', '', ''])
  }

  async #append(messages: readonly string[]): Promise<[id: string, appended: readonly string[]]> {
    const args = [randomUUID(), this.#latest, this.#options.size, MAX_BODY_BYTES, ...messages]
    return (await this.#options.connection.run(APPEND, this.#keys, args)) as [string, string[]] // it returns these
  }

  async read(position: number, cursor: string | undefined): Promise<StreamBatch> {
    const from = cursor === '' ? '0' : (cursor ?? '')
    const args = [position, READ_MESSAGES, READ_BYTES, from, READ_COUNTS]
    const reply = await this.#options.connection.run(READ, this.#keys, args)
    const [id, end, entries, stored, [next, counts]] = reply as [
      string,
      string,
      RedisStreamEntry[],
      string[],
      [string, string[]],
    ] // the script returns these
    const bodies = new Map([['0', '']])
    for (let index = 0; index < stored.length; index += 2) bodies.set(stored[index] ?? '', stored[index + 1] ?? '')
    const messages = entries.map((entry) => toMessage(entry, bodies))
    for (const message of messages)
      if (message.kind === 'exchange') this.#latest = Math.max(this.#latest, message.number)
    return {
      id,
      end: Number(end),
      messages,
      counts: toCounts(counts),
      cursor: next === '0' ? undefined : next,
    }
  }
}

function toMessage([name, fields]: RedisStreamEntry, bodies: ReadonlyMap<string, string>): StreamMessage {
  const position = Number.parseInt(name, 10)
  const [kind, value = '', , begun = '', , count, , request = '', , answer = '', , text = ''] = fields
  if (kind === 'end') return { kind: 'end', position, text: value }
  if (kind === 'clear') return { kind: 'clear', position, sandbox: value === '' ? undefined : value }
  return {
    kind: 'exchange',
    position,
    number: Number(value),
    place: { begun, count: Number(count) },
    text,
    request: bodies.get(request),
    answer: bodies.get(answer),
  }
}

/** Reads the counts: a list of sandboxes and `begun count` in turn. */
function toCounts(fields: readonly string[]): ReadonlyMap<string, SandboxPlace> {
  const counts = new Map<string, SandboxPlace>()
  for (let index = 0; index < fields.length; index += 2) {
    const [begun = '', count] = (fields[index + 1] ?? '').split(' ')
    counts.set(fields[index] ?? '', { begun, count: Number(count) })
  }
  return counts
}
