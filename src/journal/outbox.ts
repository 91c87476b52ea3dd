import { clearTimeout, setImmediate, setTimeout, sleep, timeOrigin } from '../core/timers.ts'
import { encodeExchanges, type SharedExchange } from './shared-entry.ts'
import { encodeMessage, type MessageContent, type SharedStream } from './shared-stream.ts'

/** The largest number of exchanges of one message. */
const MAX_ENTRIES = 128

/** The largest number of exchanges that wait while the stream does not answer; further ones are lost. */
const MAX_WAITING = 10_000

/** Milliseconds after which an exchange is sent, if no reader asks before: every message costs each replica about 50 µs. */
const SEND_AFTER_MS = 20

/** Milliseconds after which a message is sent again, if the stream did not answer. */
const RETRY_MS = 200

/** Sends messages in their order. Those that cannot be sent wait, so that none is lost while the stream does not answer for a moment. */
export class Outbox {
  readonly #stream: SharedStream
  readonly #contents: MessageContent[] = []
  #entries: SharedExchange[] = []
  #waiting = 0
  #hasLoss = false
  #sent = 0
  #isSending = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(stream: SharedStream) {
    this.#stream = stream
  }

  /** Sends an exchange, soon and with others in one message. False: too many wait, and this one is lost. */
  addEntry(entry: SharedExchange): boolean {
    if (this.#waiting >= MAX_WAITING) {
      this.#hasLoss = true
      return false
    }
    this.#waiting += 1
    if (this.#entries.push(entry) >= MAX_ENTRIES) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), SEND_AFTER_MS)
    return true
  }

  /** Sends a message behind all exchanges that were added before. */
  add(content: MessageContent): void {
    this.#closeEntries()
    this.#contents.push(content)
    this.#send()
  }

  #flush(): void {
    this.#closeEntries()
    this.#send()
  }

  #closeEntries(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#entries.length === 0) return
    const lines = encodeExchanges(this.#entries, timeOrigin)
    this.#contents.push({ kind: 'entries', count: this.#entries.length, ...lines })
    this.#entries = []
  }

  #send(): void {
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => void this.#sendAll())
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      if (this.#contents.length === 0 && this.#hasLoss) this.#contents.push({ kind: 'loss' })
      const [content] = this.#contents
      if (content === undefined || this.#isClosed) break
      if (await this.#append(content)) this.#contents.shift()
      else await sleep(RETRY_MS, undefined, { ref: false })
    }
    this.#isSending = false
  }

  /** Appends the next message. False: the stream did not answer, so that the same message with the same number must be sent again. */
  async #append(content: MessageContent): Promise<boolean> {
    try {
      await this.#stream.append(encodeMessage({ from: this.#stream.id, number: this.#sent + 1, content }))
    } catch {
      return false
    }
    this.#sent += 1
    if (content.kind === 'entries') this.#waiting -= content.count
    if (content.kind === 'loss') this.#hasLoss = false
    return true
  }

  /** Waits until all is sent, for at most `ms` milliseconds, and sends nothing afterwards. */
  async close(ms: number): Promise<void> {
    this.#flush()
    for (let waited = 0; this.#isSending && waited < ms; waited += 5) await sleep(5)
    this.#isClosed = true
  }
}
