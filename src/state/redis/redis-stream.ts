import { sleep } from '../../core/timers.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { sharedKeys } from './keys.ts'
import { BEAT } from './scripts.ts'

/** The parts that a stream works with. */
export interface RedisStreamDeps {
  readonly connection: RedisConnection
  /** A connection of its own, since reading waits for messages. */
  readonly reader: RedisConnection
  readonly prefix: string
  readonly id: string
  /** The number of messages that Redis holds, about. */
  readonly size: number
}

const beatScript: Script = { text: BEAT, keys: 1 }

/** The milliseconds without a sign of life after which a process counts as ended. */
const DEAD_AFTER_MS = 5000

/** The milliseconds that a read waits for messages; less than the time-out of commands. */
const BLOCK_MS = 500

const RETRY_MS = 100

/** The largest number of messages that are read at once. */
const MAX_MESSAGES = 100

/** A bounded stream in Redis, with a list of the processes that write to it. */
export class RedisStream {
  readonly id: string
  readonly #deps: RedisStreamDeps
  readonly #stream: string
  readonly #replicas: string
  #last = '0-0'
  #isClosed = false
  #following: Promise<void> | undefined

  constructor(deps: RedisStreamDeps) {
    this.id = deps.id
    this.#deps = deps
    const { stream, replicas } = sharedKeys(deps.prefix)
    this.#stream = stream
    this.#replicas = replicas
  }

  async append(message: string): Promise<void> {
    const { connection, size } = this.#deps
    await connection.call('xadd', this.#stream, 'MAXLEN', '~', size, '*', 'm', message)
  }

  /** Reads what the stream holds, then follows it in the background. */
  async follow(onMessage: (message: string) => void, onCut: () => void): Promise<void> {
    if (await this.#wasTrimmed()) onCut()
    while (await this.#read(onMessage, 0));
    this.#following = this.#followOn(onMessage)
  }

  /** Returns true if the stream does not hold all messages that were ever appended. */
  async #wasTrimmed(): Promise<boolean> {
    const info = (await this.#deps.connection.call('xinfo', 'STREAM', this.#stream).catch(() => undefined)) as
      | readonly RedisReply[]
      | undefined // there is no stream before the first message
    if (info === undefined) return false
    const count = (name: string) => Number(info[info.indexOf(name) + 1])
    return count('entries-added') > count('length')
  }

  async #followOn(onMessage: (message: string) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#read(onMessage, BLOCK_MS)
      } catch {
        if (!this.#isClosed) await sleep(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  /** Reads the next messages. False: there are none. */
  async #read(onMessage: (message: string) => void, blockMs: number): Promise<boolean> {
    const block = blockMs > 0 ? ['BLOCK', blockMs] : []
    const reply = await this.#deps.reader.call(
      'xread',
      'COUNT',
      MAX_MESSAGES,
      ...block,
      'STREAMS',
      this.#stream,
      this.#last,
    )
    if (reply === null) return false
    const [[, messages = []] = []] = reply as [string, [string, string[]][]][] // one stream
    for (const [id, [, text = '']] of messages) {
      this.#last = id
      onMessage(text)
    }
    return true
  }

  async beat(): Promise<{ readonly alive: readonly string[]; readonly lost: number }> {
    const reply = await this.#deps.connection.run(beatScript, [this.#replicas], [this.id, DEAD_AFTER_MS])
    const [lost, alive] = reply as [number, string[]] // the script returns these
    return { alive, lost }
  }

  /** Leaves the list of processes, if Redis answers, and ends both connections' use of the stream. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#deps.connection.call('zrem', this.#replicas, this.id).catch(() => undefined)
    this.#deps.reader.close()
    await this.#following
  }
}
