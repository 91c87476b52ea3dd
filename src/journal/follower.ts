import { SlicedWork } from '../core/slices.ts'
import { nextTurn, sleep } from '../core/timers.ts'
import type { DeliveryEnd, JournalEntry } from './entry.ts'
import type { ExchangeStream, StreamMessage } from './exchange-stream.ts'
import type { Journal, LiveExchange } from './journal.ts'
import { decodeEnd, ExchangeDecoder, encodeEnd, encodeExchange, type FindOperation } from './shared-entry.ts'

/** The parts that a follower works with. */
export interface FollowerDeps {
  readonly stream: ExchangeStream
  readonly findOperation: FindOperation
  /** Receives a sentence about each exchange that cannot be read, or corrected. */
  readonly report: (problem: string) => void
}

/** The milliseconds between two readings while verifications or streams wait for new exchanges. */
const FOLLOW_MS = 50

/**
 * Appends the exchanges of this process to the stream of all replicas, and brings the journal to the end of that stream. A message moves
 * the position as soon as the journal has it, so that a reading that breaks off loses and doubles nothing.
 */
export class StreamFollower {
  /** The first part of the ids of requests, which differs from that of other replicas. */
  readonly requestIdPrefix: string
  readonly #deps: FollowerDeps
  readonly #decoder: ExchangeDecoder
  readonly #journal: Journal
  /** The id of the stream that was read last, and of the one that was read from or appended to last. */
  #readId: string | undefined
  #streamId: string | undefined
  /** The position up to which the stream was read, and whether messages before it were missed. */
  #position = 0
  #hasGap = true
  /** The sandboxes of which this process has appended exchanges to the stream. */
  readonly #used = new Set<string>()
  /** The sandboxes whose lost exchanges the stream does not count yet. */
  readonly #lost = new Set<string>()
  /** The ends of deliveries that the stream does not have yet. */
  readonly #ends = new Map<number, string>()
  /** The messages that are on their way. */
  readonly #sent = new Set<Promise<void>>()
  /** The latest reading, and the one that begins after it. */
  #latest: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined
  #isFollowing = false

  constructor(journal: Journal, deps: FollowerDeps) {
    this.#journal = journal
    this.#deps = deps
    this.requestIdPrefix = `req-${deps.stream.replica.slice(0, 8)}` // its id is a UUID
    this.#decoder = new ExchangeDecoder(deps.findOperation, `${this.requestIdPrefix}-`)
  }

  /** Appends an exchange, and returns its number. Undefined: it is lost, since the store takes no changes. Rejects if that does not answer. */
  append(entry: JournalEntry, live: LiveExchange): Promise<number | undefined> {
    return this.#untilClose(this.#append(entry, live))
  }

  async #append(entry: JournalEntry, live: LiveExchange): Promise<number | undefined> {
    const { text, request, answer } = encodeExchange(entry, live)
    const { sandbox } = entry
    const appended = await this.#deps.stream.append(sandbox, text, request, answer)
    if (!appended) {
      this.#lost.add(sandbox)
      return undefined
    }
    const isOther = this.#noteStream(appended.id)
    this.#used.add(sandbox)
    if (isOther || this.#lost.size > 0) void this.catchUp().catch(() => undefined) // which tells the others
    return appended.number
  }

  /** Corrects the end of the delivery of an exchange. It is appended again before the next reading if the store does not answer now. */
  correct(number: number, end: DeliveryEnd): Promise<void> {
    const text = JSON.stringify({ number, ...encodeEnd(end) })
    this.#ends.set(number, text)
    return this.#untilClose(this.#appendEnd(number, text))
  }

  /** Makes `close` wait for a message that is on its way. */
  #untilClose<T>(sent: Promise<T>): Promise<T> {
    const settled = sent.then(
      () => void this.#sent.delete(settled),
      () => void this.#sent.delete(settled),
    )
    this.#sent.add(settled)
    return sent
  }

  async #appendEnd(number: number, text: string): Promise<void> {
    if (await this.#deps.stream.appendEnd(text)) this.#ends.delete(number)
  }

  async #appendEnds(): Promise<void> {
    await Promise.all(Array.from(this.#ends, ([number, text]) => this.#appendEnd(number, text)))
  }

  /** Brings the journal to the present end of the stream. Readers that wait at the same time share one reading. */
  catchUp(): Promise<void> {
    if (this.#next) return this.#next
    this.#next = this.#latest.then(nextTurn).then(() => {
      this.#next = undefined
      return this.#readAll()
    })
    this.#latest = this.#next.catch(() => undefined)
    return this.#next
  }

  /** Catches up from time to time, as long as somebody waits for changes of the journal. */
  async follow(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    while (this.#journal.waiting > 0) {
      await this.catchUp().catch(() => undefined) // the next reading of the waiting request rejects, too
      await sleep(FOLLOW_MS, undefined, { ref: false })
    }
    this.#isFollowing = false
  }

  /** Returns true if exchanges of a sandbox, or of any (undefined), are lost that the stream does not count. */
  hasLost(sandbox: string | undefined): boolean {
    return sandbox === undefined ? this.#lost.size > 0 : this.#lost.has(sandbox)
  }

  /** Notes that an exchange of a sandbox is lost, which the stream does not count yet. */
  noteLost(sandbox: string): void {
    this.#lost.add(sandbox)
  }

  /** Clears a sandbox for all replicas; undefined: all. */
  async clear(sandbox: string | undefined): Promise<void> {
    await this.#deps.stream.clear(sandbox)
    if (sandbox === undefined) this.#lost.clear()
    else this.#lost.delete(sandbox)
    await this.catchUp()
  }

  /** Waits for the messages that are on their way, and appends what is left of the ends of deliveries. */
  async close(): Promise<void> {
    while (this.#sent.size > 0) await Promise.all(this.#sent)
    await this.#appendEnds().catch(() =>
      this.#deps.report('The ends of some deliveries could not be stored.'),
    )
    await this.#countLost().catch(() => this.#deps.report('The lost exchanges could not be counted.'))
  }

  async #readAll(): Promise<void> {
    await this.#appendEnds()
    await this.#countLost()
    const work = new SlicedWork()
    while (!(await this.#readNext(work)));
  }

  /** Reads the next messages. Returns true at the end of the stream. */
  async #readNext(work: SlicedWork): Promise<boolean> {
    const isComparing = this.#hasGap
    const { id, end, messages, counts } = await this.#deps.stream.read(this.#position, isComparing)
    // A Redis that came back with older data has the same stream with fewer messages.
    const isOther = id !== this.#readId || end < this.#position
    if (isOther && (await this.#beginStream(id))) return false
    for (const message of messages) {
      this.#fold(message)
      if (work.isDue) await work.rest()
    }
    if (messages.length === 0 && this.#position < end) {
      this.#position = end // behind messages that were trimmed
      this.#hasGap = true
    }
    if (this.#position < end || this.#hasGap !== isComparing) return false
    if (isComparing) this.#journal.compare(counts)
    this.#hasGap = false
    return true
  }

  #fold(message: StreamMessage): void {
    if (message.position !== this.#position + 1) this.#hasGap = true
    this.#position = message.position
    try {
      if (message.kind === 'clear') this.#clearRecorded(message.sandbox)
      else if (message.kind === 'end') this.#foldEnd(message.text)
      else {
        const { entry, live } = this.#decoder.decode(message)
        this.#journal.record(entry, live, message.place)
        if (message.request === undefined || message.answer === undefined)
          this.#journal.noteLoss(entry.sandbox)
      }
    } catch (error) {
      this.#deps.report(`A message of the journal could not be read (${String(error)}).`)
      this.#hasGap = true
    }
  }

  #foldEnd(text: string): void {
    const { number, ...end } = JSON.parse(text) // of `correct`
    this.#journal.correct(number, decodeEnd(end), (entry) => this.#decoder.revive(entry))
  }

  #clearRecorded(sandbox: string | undefined): void {
    if (sandbox === undefined) this.#used.clear()
    else this.#used.delete(sandbox)
    this.#journal.clearRecorded(sandbox)
  }

  /** Begins to read a stream. Returns true if what was read of it is not its next messages. */
  async #beginStream(id: string): Promise<boolean> {
    const isOther = this.#readId !== undefined
    this.#noteStream(id)
    if (isOther) for (const sandbox of this.#journal.restart()) this.#lost.add(sandbox)
    this.#readId = id
    this.#position = 0
    this.#hasGap = true
    const isChanging = this.#lost.size > 0
    await this.#countLost()
    return isOther || isChanging
  }

  /** Notes the present stream. Returns true if it is another one than before: all exchanges of this process are lost. */
  #noteStream(id: string): boolean {
    const isOther = this.#streamId !== undefined && this.#streamId !== id
    this.#streamId = id
    if (!isOther) return false
    for (const sandbox of this.#used) this.#lost.add(sandbox)
    this.#used.clear()
    this.#ends.clear() // their numbers are those of other exchanges now
    return true
  }

  /** Tells all replicas of which sandboxes exchanges are lost. */
  async #countLost(): Promise<void> {
    const lost = [...this.#lost]
    if (lost.length > 0 && (await this.#deps.stream.countLost(lost)))
      for (const sandbox of lost) this.#lost.delete(sandbox)
  }
}
