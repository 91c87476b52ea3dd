import { reasonOf } from '../core/result.ts'
import { clearInterval, nextTurn, setInterval, sleep, timeOrigin } from '../core/timers.ts'
import type { JournalEntry } from './entry.ts'
import { type EntryListener, Journal, type LiveExchange } from './journal.ts'
import { LossRecord } from './loss-record.ts'
import { MessageNumbers } from './message-numbers.ts'
import { Outbox } from './outbox.ts'
import type { EntryRange, JournalCounts, JournalSlice } from './reader.ts'
import { ReplicaQuestions } from './replica-questions.ts'
import { ExchangeDecoder, type FindOperation, type SharedExchange } from './shared-entry.ts'
import { decodeMessage, encodeMessage, type SharedStream } from './shared-stream.ts'

/** The parts that a shared journal works with. */
export interface SharedJournalDeps {
  readonly stream: SharedStream
  readonly findOperation: FindOperation
  /** Receives a sentence about each exchange that cannot be recorded. */
  readonly report: (problem: string) => void
  /** Receives the reason for which recorded exchanges could not be sent to the others. */
  readonly reportUnsent: (reason: string) => void
}

/** The most milliseconds for which a process that ends sends what it has recorded: managers of processes kill it after ten seconds. */
const CLOSE_MS = 4000

/** The milliseconds between two readings while verifications or streams wait for new exchanges. */
const FOLLOW_MS = 50

/** The milliseconds between two signs of life. */
const BEAT_MS = 1000

/** The least number of exchanges that wait to be sent, so that a journal without entries still has reports. */
const MIN_WAITING = 1000

/** The number of exchanges that are recorded in one turn of the event loop, which takes about two milliseconds. */
const RECORDS_PER_TURN = 200

/**
 * The latest exchanges of all replicas, in one order. Each process holds what it records until a reader asks for it. A reader asks all
 * replicas to append what they have to a stream, and then records what the stream has, so that it sees every exchange that ended before. Where a
 * replica does not answer, or exchanges were lost, the unknown number of lost exchanges counts as one that was dropped.
 */
export class SharedJournal extends Journal {
  override readonly requestIdPrefix: string
  readonly #deps: SharedJournalDeps
  readonly #outbox: Outbox
  readonly #decoder: ExchangeDecoder
  readonly #ownListeners = new Set<EntryListener>()
  readonly #numbers = new MessageNumbers()
  readonly #questions: ReplicaQuestions
  /** The latest catching up, and the one that begins after it. */
  #latest: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined
  #isFollowing = false
  /** True: a replica did not answer the latest question. */
  #isBehind = false
  readonly #losses = new LossRecord()
  #beats: ReturnType<typeof setInterval> | undefined

  constructor(size: number, deps: SharedJournalDeps) {
    super(size)
    this.#deps = deps
    this.requestIdPrefix = `req-${deps.stream.id.slice(0, 8)}` // its id is a UUID
    this.#outbox = new Outbox(deps.stream, Math.max(size, MIN_WAITING))
    const send = () => this.#outbox.send()
    this.#questions = new ReplicaQuestions({ ...deps, send })
    this.#decoder = new ExchangeDecoder(deps.findOperation, timeOrigin)
  }

  /** Answers the questions of others from now on. */
  async open(): Promise<void> {
    await this.#questions.open()
    await this.#beat()
    this.#beats = setInterval(() => void this.#beat().catch(() => undefined), BEAT_MS)
    this.#beats.unref()
  }

  /** Sends all that was recorded, and ends. A process that could not send it stays on the list of the stream, and so counts as ended without a word. */
  async close(): Promise<void> {
    const { stream } = this.#deps
    const isSent = await this.#sendLast()
    clearInterval(this.#beats)
    if (isSent) await Promise.all([stream.leave().catch(() => undefined), this.#questions.finish()])
    stream.close()
  }

  /** Sends all that was recorded, for at most `CLOSE_MS`. Returns true if it is sent. */
  async #sendLast(): Promise<boolean> {
    const late = sleep(CLOSE_MS, undefined, { ref: false }).then(() => {
      throw new Error(`it took longer than ${CLOSE_MS / 1000} seconds`)
    })
    try {
      await Promise.race([this.#outbox.send(), late])
      return true
    } catch (error) {
      this.#deps.reportUnsent(reasonOf(error))
      return false
    }
  }

  #beat(): Promise<readonly string[]> {
    const { stream } = this.#deps
    return stream.beat(encodeMessage({ from: stream.id, number: 0, content: { kind: 'loss' } }))
  }

  override begin(sandbox: string): Promise<void> | undefined {
    return this.#outbox.begin(sandbox)
  }

  override record(entry: JournalEntry, live: LiveExchange): void {
    this.#outbox.add(entry, live)
    for (const listener of this.#ownListeners) listener(entry, live)
  }

  override onOwnEntry(listener: EntryListener): () => void {
    this.#ownListeners.add(listener)
    return () => void this.#ownListeners.delete(listener)
  }

  /** Calls the listener after every change, for which the journal follows the others as long as anybody listens. */
  override onChange(listener: () => void): () => void {
    const remove = super.onChange(listener)
    if (!this.#isFollowing) void this.#follow()
    return remove
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true
    while (this.waiting > 0) {
      await this.catchUp().catch(() => undefined)
      await sleep(FOLLOW_MS, undefined, { ref: false })
    }
    this.#isFollowing = false
  }

  /** Waits until this process has every exchange that ended before the call. Readers that wait at the same time share one catching up. */
  override catchUp(): Promise<void> {
    if (this.#next) return this.#next
    this.#next = this.#latest.then(nextTurn).then(() => {
      this.#next = undefined
      return this.#catchUp()
    })
    this.#latest = this.#next.catch(() => undefined)
    return this.#next
  }

  async #catchUp(): Promise<void> {
    await this.#ask()
    const pending: SharedExchange[] = []
    for (let read = await this.#deps.stream.read(); read; read = await this.#deps.stream.read()) {
      if (read.isCut) {
        this.#losses.add(undefined)
        this.#numbers.cut()
      }
      for (const text of read.texts) await this.#receiveMessage(text, pending)
    }
    await this.#recordAll(pending)
  }

  override async recordOwn(): Promise<void> {
    this.#isBehind = true
    const pending: SharedExchange[] = []
    for (const text of await this.#outbox.listUnsent()) await this.#receiveMessage(text, pending)
    await this.#recordAll(pending)
  }

  /** Waits until all replicas have sent what they have recorded. */
  async #ask(): Promise<void> {
    const open = await this.#questions.ask([...(await this.#beat()), this.#deps.stream.id])
    // A replica that has left the list meanwhile has sent all that it had. A full Redis refuses the sign of life that returns the list: none counts as gone then.
    const alive = open.size > 0 ? await this.#beat().catch(() => [...open]) : []
    this.#isBehind = alive.some((replica) => open.has(replica))
  }

  /** Adds the exchanges of a message to the pending ones, or records these first, if it clears a sandbox. */
  async #receiveMessage(text: string, pending: SharedExchange[]): Promise<void> {
    const { from, number, content } = decodeMessage(text)
    if (content.kind === 'begin') return this.#losses.begin(content.sandbox)
    if (content.kind === 'loss' && number === 0) return this.#losses.add(undefined) // of a process that cannot say it
    const order = this.#numbers.add(from, number)
    if (order === 'again') return // its sender did not know that it had arrived
    if (order === 'gap') this.#losses.add(undefined)
    if (content.kind === 'loss') this.#losses.add(content.sandboxes)
    if (content.kind === 'entries') {
      pending.push(...this.#decoder.decode(content, from !== this.#deps.stream.id))
      await nextTurn()
    } else if (content.kind === 'clear') {
      await this.#recordAll(pending.splice(0))
      await this.#clearRecorded(content.sandbox ?? undefined)
    }
  }

  /** Records exchanges in the order in which they ended, whichever message came first. */
  async #recordAll(exchanges: SharedExchange[]): Promise<void> {
    const inOrder = exchanges.sort((a, b) => a.entry.endedAt - b.entry.endedAt)
    for (const [index, { entry, live }] of inOrder.entries()) {
      if (index % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await nextTurn()
      try {
        super.record({ ...entry, number: this.recorded + 1 }, live)
      } catch (error) {
        this.#deps.report(`An exchange of a replica could not be recorded (${String(error)}).`)
      }
    }
  }

  async #clearRecorded(sandbox: string | undefined): Promise<void> {
    this.#losses.clear(sandbox)
    await super.clear(sandbox)
  }

  /** Returns true if exchanges of a sandbox, or of any, may be missing. */
  override hasLoss(sandbox: string | undefined): boolean {
    return this.#isBehind || this.#losses.has(sandbox)
  }

  override async list(range: EntryRange = {}): Promise<JournalSlice> {
    await this.catchUp()
    const slice = await super.list(range)
    return { ...slice, counts: this.#addLoss(slice.counts, range.sandbox) }
  }

  override async find(id: string): Promise<JournalEntry | undefined> {
    await this.catchUp()
    return super.find(id)
  }

  override async counts(sandbox: string | undefined): Promise<JournalCounts> {
    await this.catchUp()
    return this.#addLoss(await super.counts(sandbox), sandbox)
  }

  override async clear(sandbox: string | undefined): Promise<number> {
    const { recorded, dropped } = await this.counts(sandbox)
    await this.#outbox.send({ kind: 'clear', sandbox: sandbox ?? null })
    await this.catchUp()
    return recorded - dropped
  }

  #addLoss(counts: JournalCounts, sandbox: string | undefined): JournalCounts {
    if (!this.hasLoss(sandbox)) return counts
    return { ...counts, recorded: counts.recorded + 1, dropped: counts.dropped + 1 }
  }
}
