import { nextTurn, timeOrigin } from '../core/timers.ts'
import type { JournalEntry } from './entry.ts'
import { EntryRing } from './entry-ring.ts'
import type { LiveExchange } from './journal.ts'
import { encodeExchanges, type OwnExchange, toOwnParts } from './shared-entry.ts'
import { encodeMessage, type MessageContent, type SharedStream } from './shared-stream.ts'

/** The largest number of exchanges of one message, whose encoding takes about two milliseconds. */
const MAX_ENTRIES = 128

/** The largest number of sandboxes that a message names. */
const MAX_NAMED = 1000

/** The largest number of sandboxes that need not be announced again. */
const MAX_BEGUN = 10_000

/**
 * The exchanges of this process that no other has yet. They are encoded and sent when a replica asks for them, so an exchange that nobody
 * asks for costs no more than in a journal of one process. As there, the oldest are dropped.
 */
export class Outbox {
  readonly #stream: SharedStream
  readonly #size: number
  #ring: EntryRing<OwnExchange['parts']>
  /** The sandboxes of the exchanges that were dropped since the last message about a loss. */
  readonly #incomplete = new Set<string>()
  /** Sandboxes that all replicas know to be in use. */
  readonly #begun = new Set<string>()
  /** The messages that are not sent yet. */
  readonly #messages: { readonly text: string; readonly weight: number }[] = []
  #number = 0
  #sending: Promise<void> = Promise.resolve()

  /** `size`: the most exchanges that wait. */
  constructor(stream: SharedStream, size: number) {
    this.#stream = stream
    this.#size = size
    this.#ring = this.#createRing()
  }

  #createRing(): EntryRing<OwnExchange['parts']> {
    return new EntryRing(this.#size, (_, { sandbox }) => {
      this.#incomplete.add(sandbox)
    })
  }

  add(entry: JournalEntry, live: LiveExchange): void {
    this.#ring.add(entry, toOwnParts(entry, live))
  }

  /** Tells all replicas that a sandbox is in use, unless one has. No exchange of it may be added before. Undefined: they know it. */
  begin(sandbox: string): Promise<void> | undefined {
    return this.#begun.has(sandbox) ? undefined : this.#announce(sandbox)
  }

  async #announce(sandbox: string): Promise<void> {
    const message = encodeMessage({ from: this.#stream.id, number: 0, content: { kind: 'begin', sandbox } })
    await this.#stream.appendOnce(sandbox, message, 1)
    if (this.#begun.size >= MAX_BEGUN) this.#begun.clear()
    this.#begun.add(sandbox)
  }

  /** Sends all exchanges that were added before, and then `content`. Rejects if the stream does not answer; all is sent by the next call. */
  send(content?: MessageContent): Promise<void> {
    const sent = this.#sending.then(() => this.#send(content))
    this.#sending = sent.catch(() => undefined)
    return sent
  }

  async #send(content: MessageContent | undefined): Promise<void> {
    await this.#encode()
    if (content) this.#push(content, 1)
    for (;;) {
      const [message] = this.#messages
      if (message === undefined) return
      await this.#stream.append(message.text, message.weight)
      this.#messages.shift()
    }
  }

  /** Returns the messages that are not sent, with all exchanges that were added before. Those that are being sent are waited for. */
  async listUnsent(): Promise<readonly string[]> {
    await this.#sending
    await this.#encode()
    return this.#messages.map(({ text }) => text)
  }

  /** Encodes all exchanges that wait, in several turns. */
  async #encode(): Promise<void> {
    const ring = this.#ring
    if (ring.latest >= ring.oldest) {
      this.#ring = this.#createRing()
      for (let first = ring.oldest; first <= ring.latest; first += MAX_ENTRIES) {
        this.#encodeSome(ring, first)
        await nextTurn()
      }
    }
    if (this.#incomplete.size === 0) return
    const sandboxes = this.#incomplete.size > MAX_NAMED ? undefined : [...this.#incomplete]
    this.#incomplete.clear()
    this.#push({ kind: 'loss', sandboxes }, 1)
  }

  #encodeSome(ring: EntryRing<OwnExchange['parts']>, first: number): void {
    const exchanges: OwnExchange[] = []
    for (let number = first; number < first + MAX_ENTRIES; number += 1) {
      const stored = ring.at(number)
      if (stored) exchanges.push({ entry: stored.entry, parts: stored.owner })
    }
    const { lines, incomplete } = encodeExchanges(exchanges, timeOrigin)
    for (const sandbox of incomplete) this.#incomplete.add(sandbox)
    this.#push({ kind: 'entries', count: exchanges.length, ...lines }, exchanges.length)
  }

  #push(content: MessageContent, weight: number): void {
    this.#number += 1
    this.#messages.push({
      text: encodeMessage({ from: this.#stream.id, number: this.#number, content }),
      weight,
    })
  }
}
