import type { Log } from '../../base/core/log.ts'
import { SlicedWork } from '../../base/core/slices.ts'
import { nextTurn, sleep } from '../../base/core/timers.ts'
import type { ExchangeStream, MessagePosition, SandboxPosition, StreamMessage } from '../../state/shared-state.ts'
import type { DeliveryEnd, ExchangeRecord, JournalEntry, LiveExchange, Recorded } from './entry.ts'
import { Journal, type JournalShare } from './journal.ts'
import { beginSharedRecord, decodeEnd, ExchangeDecoder, encodeEnd, encodeExchange } from './shared-entry.ts'

/** The interval, in milliseconds, between reads of the stream while control requests wait for new exchanges. */
const FOLLOW_MS = 50

/**
 * Appends the exchanges of this process to the stream that all replicas share, and reads the stream into the journal.
 * The position advances with each message, so an interrupted read neither loses nor repeats a message.
 */
export class StreamFollower implements JournalShare {
  readonly journal: Journal
  readonly requestIdPrefix: string
  readonly #log: Log
  readonly #stream: ExchangeStream
  readonly #decoder: ExchangeDecoder
  /** The ID of the stream last read, and the ID of the stream last read or appended to. */
  #readId: string | undefined
  #streamId: string | undefined
  #position = 0
  /** True if messages before the position may have been missed, so the counts must be adjusted. */
  #hasMissedMessages = true
  readonly #usedSandboxes = new Set<string>()
  /** The sandboxes whose lost exchanges the stream does not count yet. */
  readonly #sandboxesWithLoss = new Set<string>()
  /** The ends of deliveries that are not in the stream yet, as JSON. */
  readonly #unsentEnds = new Set<string>()
  readonly #pendingWrites = new Set<Promise<unknown>>()
  /** The latest read (finished, running or queued), and the queued read, if any. */
  #latest: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined
  #isFollowing = false

  constructor(size: number, log: Log, stream: ExchangeStream) {
    this.journal = new Journal(size, this)
    this.#log = log
    this.#stream = stream
    this.requestIdPrefix = `req-${stream.replica.slice(0, 8)}` // a replica's ID is a UUID
    this.#decoder = new ExchangeDecoder(`${this.requestIdPrefix}-`)
  }

  begin(onEnd: (recorded: Recorded) => void): ExchangeRecord {
    return beginSharedRecord(this, this.#log, onEnd)
  }

  /** Appends an exchange. Returns its position; undefined if the store refuses changes. Rejects if the store fails. */
  async append(entry: JournalEntry, live: LiveExchange): Promise<MessagePosition | undefined> {
    const { text, request, response } = encodeExchange(entry, live)
    const { sandbox } = entry
    const appended = await this.#trackForClose(this.#stream.append(sandbox, text, request, response))
    if (!appended) {
      this.#sandboxesWithLoss.add(sandbox)
      return undefined
    }
    const isNewStream = this.#useStream(appended.id)
    this.#usedSandboxes.add(sandbox)
    if (isNewStream || this.#sandboxesWithLoss.size > 0) void this.catchUp().catch(() => undefined) // counts the loss
    return appended
  }

  /** Corrects the record of how a delivery ended. If that fails, the correction is sent again before the next read. */
  correct({ id, number }: MessagePosition, end: DeliveryEnd): Promise<void> {
    const text = JSON.stringify({ stream: id, number, ...encodeEnd(end) })
    this.#unsentEnds.add(text)
    return this.#trackForClose(this.#appendEnd(text))
  }

  #trackForClose<T>(write: Promise<T>): Promise<T> {
    this.#pendingWrites.add(write)
    const forget = () => void this.#pendingWrites.delete(write)
    write.then(forget, forget)
    return write
  }

  async #appendEnd(text: string): Promise<void> {
    if (await this.#stream.appendEnd(text)) this.#unsentEnds.delete(text)
  }

  /** Appends the ends of deliveries and the records of lost exchanges that the stream does not have yet. */
  async #appendPending(): Promise<void> {
    await Promise.all(Array.from(this.#unsentEnds, (text) => this.#appendEnd(text)))
    await this.#countLost()
  }

  /** Advances the journal to the current end of the stream. Calls during a read share the next read. */
  catchUp(): Promise<void> {
    if (this.#next) return this.#next
    this.#next = this.#latest.then(nextTurn).then(() => {
      this.#next = undefined
      return this.#readAll()
    })
    this.#latest = this.#next.catch(() => undefined)
    return this.#next
  }

  async follow(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    while (this.journal.waiterCount > 0) {
      await this.catchUp().catch(() => undefined) // if this rejects, so does the waiting request's next read
      await sleep(FOLLOW_MS, undefined, { ref: false })
    }
    this.#isFollowing = false
  }

  hasUncountedLoss(sandbox: string | undefined): boolean {
    return sandbox === undefined ? this.#sandboxesWithLoss.size > 0 : this.#sandboxesWithLoss.has(sandbox)
  }

  markLost(sandbox: string): void {
    this.#sandboxesWithLoss.add(sandbox)
  }

  async clear(sandbox: string | undefined): Promise<void> {
    await this.#stream.clear(sandbox)
    if (sandbox === undefined) this.#sandboxesWithLoss.clear()
    else this.#sandboxesWithLoss.delete(sandbox)
    await this.catchUp()
  }

  async close(): Promise<void> {
    while (this.#pendingWrites.size > 0) await Promise.allSettled(this.#pendingWrites)
    await this.#appendPending().catch(() =>
      this.#warn('The ends of some deliveries, or the number of lost exchanges, could not be stored.'),
    )
  }

  async #readAll(): Promise<void> {
    await this.#appendPending()
    const work = new SlicedWork()
    while (!(await this.#readNext(work)));
  }

  /** Reads the next messages. Returns true if the journal then matches the stream. */
  async #readNext(work: SlicedWork): Promise<boolean> {
    const { id, end, messages, counts } = await this.#stream.read(this.#position, this.#hasMissedMessages)
    // A Redis server that was restarted with older data has the same stream with fewer messages.
    const isNewStream = id !== this.#readId || end < this.#position
    if (isNewStream && (await this.#beginStream(id))) return false
    for (const message of messages) {
      this.#apply(message)
      if (work.isPauseDue) await work.pause()
    }
    if (messages.length === 0 && this.#position < end) {
      this.#position = end // the messages up to the end were trimmed
      this.#hasMissedMessages = true
    }
    if (this.#position === end && this.#hasMissedMessages && counts) this.#adjustCounts(counts)
    return this.#position === end && !this.#hasMissedMessages
  }

  /** Sets the journal's counts to those of the stream at the same position. */
  #adjustCounts(counts: ReadonlyMap<string, SandboxPosition>): void {
    for (const [sandbox, position] of counts) this.journal.advance(sandbox, position)
    this.journal.clearAllBut(new Set(counts.keys()))
    this.#hasMissedMessages = false
  }

  #apply(message: StreamMessage): void {
    if (message.position !== this.#position + 1) this.#hasMissedMessages = true
    this.#position = message.position
    try {
      if (message.kind === 'clear') this.#clearRecorded(message.sandbox)
      else if (message.kind === 'end') this.#applyEnd(message.text)
      else {
        const [entry, live] = this.#decoder.decode(message)
        this.journal.record(entry, live, message.sandboxPosition)
        if (message.request === undefined || message.response === undefined) this.journal.countLoss(entry.sandbox)
      }
    } catch (error) {
      this.#warn(`A journal message could not be read (${String(error)}).`)
      this.#hasMissedMessages = true
    }
  }

  #applyEnd(text: string): void {
    const { stream, number, ...end } = JSON.parse(text) // written by `correct`
    if (stream !== this.#readId) return // in this stream, the number belongs to a different exchange
    this.journal.correct(number, decodeEnd(end), (entry) => this.#decoder.revive(entry))
  }

  #clearRecorded(sandbox: string | undefined): void {
    if (sandbox === undefined) this.#usedSandboxes.clear()
    else this.#usedSandboxes.delete(sandbox)
    this.journal.clearRecorded(sandbox)
  }

  /** Begins to read a stream. Returns true if the stream must be read again from its beginning. */
  async #beginStream(id: string): Promise<boolean> {
    const hadStream = this.#readId !== undefined
    this.#useStream(id)
    if (hadStream) for (const sandbox of this.journal.restart()) this.#sandboxesWithLoss.add(sandbox)
    this.#readId = id
    this.#position = 0
    this.#hasMissedMessages = true
    return (await this.#countLost()) || hadStream
  }

  /** Switches to a stream. Returns true if it replaces a different stream, whose exchanges are then lost. */
  #useStream(id: string): boolean {
    const isNewStream = this.#streamId !== undefined && this.#streamId !== id
    this.#streamId = id
    if (!isNewStream) return false
    for (const sandbox of this.#usedSandboxes) this.#sandboxesWithLoss.add(sandbox)
    this.#usedSandboxes.clear()
    return true
  }

  /** Adds uncounted losses to the stream's counts, one for each affected sandbox. Returns true if there were any. */
  async #countLost(): Promise<boolean> {
    const lost = [...this.#sandboxesWithLoss]
    if (lost.length === 0) return false
    if (await this.#stream.countLost(lost)) for (const sandbox of lost) this.#sandboxesWithLoss.delete(sandbox)
    return true
  }

  #warn(problem: string): void {
    this.#log.warn({ problem }, 'the shared journal is incomplete')
  }
}
