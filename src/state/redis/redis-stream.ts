import { randomUUID } from 'node:crypto'
import type { ReadMessages, SharedMessages } from '../shared-state.ts'
import { AppendedNames } from './appended-names.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'
import { APPEND_LOSS, APPEND_MESSAGE, APPEND_MESSAGE_ONCE, BEAT } from './scripts.ts'

/** The parts that a stream works with. */
export interface RedisStreamDeps {
  readonly connection: RedisConnection
  /** A connection of its own, since one that listens can do nothing else. */
  readonly listener: RedisConnection
  readonly prefix: string
  readonly id: string
  /** The weight of the messages that Redis holds for each process, about. */
  readonly size: number
}

const appendScript: Script = { text: APPEND_MESSAGE, keys: 3 }
const appendOnceScript: Script = { text: APPEND_MESSAGE_ONCE, keys: 4 }
const appendLossScript: Script = { text: APPEND_LOSS, keys: 3 }
const beatScript: Script = { text: BEAT, keys: 5 }

/** The milliseconds without a sign of life after which a process counts as ended. */
export const DEAD_AFTER_MS = 5000

/** The milliseconds for which the name of a message is known after the end of the last process that knows it. */
const NAME_MS = 7 * 24 * 60 * 60 * 1000

/** The largest number of messages that are read at once. */
const MAX_MESSAGES = 20

/**
 * A bounded stream in Redis, with a list of the processes that write to it. The id of a message is the weight of all messages up to it, so
 * the stream is trimmed by weight, and a reader sees a gap.
 */
export class RedisStream implements SharedMessages {
  readonly id: string
  readonly #deps: RedisStreamDeps
  readonly #keys: ReturnType<typeof sharedKeys>
  /** The weight of all messages up to the last one that was read. */
  #position = 0
  /** The ids of the stream at the last call of `read` and of `beat`. Empty before the first. A Redis that lost the stream begins another. */
  #readId = ''
  #knownId = ''
  readonly #names = new AppendedNames()

  constructor(deps: RedisStreamDeps) {
    this.id = deps.id
    this.#deps = deps
    this.#keys = sharedKeys(deps.prefix)
  }

  async append(message: string, weight: number): Promise<void> {
    const { connection, size } = this.#deps
    const { stream, streamEnd, replicas } = this.#keys
    await connection.run(appendScript, [stream, streamEnd, replicas], [weight, size, message])
  }

  async appendOnce(name: string, message: string, weight: number): Promise<void> {
    const { connection, size } = this.#deps
    const { stream, streamEnd, replicas, appended } = this.#keys
    const keys = [stream, streamEnd, replicas, appended(name)]
    await connection.run(appendOnceScript, keys, [weight, size, message, NAME_MS, this.id])
    this.#names.add(name)
  }

  async read(): Promise<ReadMessages | undefined> {
    const { connection } = this.#deps
    const { stream, streamEnd, streamId } = this.#keys
    const [last, id] = (await connection.call('mget', streamEnd, streamId)) as (string | null)[]
    const end = Number(last ?? 0)
    const isOther = this.#readId !== '' && id !== this.#readId
    this.#readId = id ?? ''
    if (end === this.#position && !isOther) return undefined
    if (isOther) this.#position = 0
    const from = `(${this.#position}`
    const reply = await connection.call('xrange', stream, from, '+', 'COUNT', MAX_MESSAGES)
    const messages = (reply as [string, string[]][]).map(toMessage)
    const [first] = messages
    const isCut = isOther || first === undefined || first.position - first.weight !== this.#position
    this.#position = messages.at(-1)?.position ?? end
    return { texts: messages.map(({ text }) => text), isCut }
  }

  async sendSignal(signal: object): Promise<void> {
    await this.#deps.connection.call('publish', this.#keys.signals, JSON.stringify(signal))
  }

  async onSignal<Signal extends object>(listener: (signal: Signal) => void): Promise<void> {
    const receive = (text: string) => listener(JSON.parse(text)) // written by `sendSignal`
    await this.#deps.listener.subscribe(this.#keys.signals, receive)
  }

  async beat(lossMessage: string): Promise<readonly string[]> {
    const { connection, size } = this.#deps
    const { stream, streamEnd, replicas, streamId, appended } = this.#keys
    const keys = [stream, streamEnd, replicas, streamId, appended(this.#names.next() ?? '')]
    const args = [this.id, DEAD_AFTER_MS, randomUUID(), size, lossMessage, NAME_MS]
    const reply = await connection.run(beatScript, keys, args)
    const [id, alive] = reply as [string, string[]] // the script returns these
    if (this.#knownId !== '' && this.#knownId !== id) await this.#appendLoss(lossMessage)
    this.#knownId = id
    return alive
  }

  /** Says that the stream was lost, once the lost names are known again. */
  async #appendLoss(message: string): Promise<void> {
    const { connection, size } = this.#deps
    const { stream, streamEnd, replicas, appended } = this.#keys
    const names = Array.from(this.#names, appended)
    await connection.run(appendLossScript, [stream, streamEnd, replicas], [size, message, NAME_MS, ...names])
  }

  /** Leaves the list of processes. */
  async leave(): Promise<void> {
    await this.#deps.connection.call('zrem', this.#keys.replicas, this.id)
  }

  close(): void {
    this.#deps.listener.close()
  }
}

/** Reads an entry of the stream: `["12-0", ["weight", "3", "text", "..."]]`. */
function toMessage([id, [, weight, , text = '']]: [string, RedisReply[]]) {
  return { position: Number.parseInt(id, 10), weight: Number(weight), text: String(text) }
}
