import {
  clearInterval,
  clearTimeout,
  nextTurn,
  setInterval,
  setTimeout,
  sleep,
  timeOrigin,
} from '../core/timers.ts'
import type { JournalEntry } from './entry.ts'
import { Journal, type LiveExchange } from './journal.ts'
import { Outbox } from './outbox.ts'
import type { EntryRange, JournalCounts, JournalSlice } from './reader.ts'
import { ExchangeDecoder, type FindOperation, hashToken, type SharedExchange } from './shared-entry.ts'
import { decodeMessage, type SharedStream, type StreamMessage } from './shared-stream.ts'

/** The parts that a shared journal works with. */
export interface SharedJournalDeps {
  readonly stream: SharedStream
  readonly findOperation: FindOperation
  /** Receives a sentence about each failure in the background. */
  readonly report: (problem: string) => void
}

/** The most milliseconds that a reader waits for the other replicas. */
const ANSWER_MS = 1000

/** The milliseconds after which an exchange is recorded, if no reader asks before; more than those that an exchange takes to be sent. */
const SETTLE_MS = 50

/** The milliseconds between two signs of life. */
const BEAT_MS = 1000

/** A question to all replicas, and those that have not answered yet. */
interface Question {
  readonly open: Set<string>
  readonly isAnswered: () => void
}

/**
 * The latest exchanges of all replicas, in one order. Each process sends what it records to a stream, and records what the stream has. A
 * reader first asks all replicas to send what they have, so that it sees every exchange that ended before. Where a replica does not answer, or
 * exchanges were lost, the unknown number of lost exchanges counts as one that was dropped.
 */
export class SharedJournal extends Journal {
  readonly #deps: SharedJournalDeps
  readonly #outbox: Outbox
  readonly #decoder: ExchangeDecoder
  /** The own exchanges that the stream has not returned yet. */
  readonly #own: SharedExchange[] = []
  /** The exchanges that the stream has returned, until no message can come with an exchange that ended before. */
  readonly #pending: SharedExchange[] = []
  /** The number of them that were pending for `SETTLE_MS`. */
  #older = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The number of the last message of each process. */
  readonly #numbers = new Map<string, number>()
  readonly #questions = new Map<string, Question>()
  #asked = 0
  #asking: Promise<void> | undefined
  /** The number of losses so far, and that at the last clearing of each sandbox, or of all. */
  #losses = 0
  readonly #lossesAtClear = new Map<string, number>()
  #lossesAtClearOfAll = 0
  #beats: ReturnType<typeof setInterval> | undefined

  constructor(size: number, deps: SharedJournalDeps) {
    super(size)
    this.#deps = deps
    this.#outbox = new Outbox(deps.stream)
    this.#decoder = new ExchangeDecoder(deps.findOperation, timeOrigin)
  }

  /** Reads the stream from its beginning, and follows it. */
  async open(): Promise<void> {
    await this.#beat()
    await this.#deps.stream.follow(
      (text) => this.#receive(decodeMessage(text, this.#deps.stream.id)),
      () => this.#noteLoss(),
    )
    this.#beats = setInterval(() => void this.#beat().catch(() => undefined), BEAT_MS)
    this.#beats.unref()
  }

  /** Sends all that was recorded, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#beats)
    clearTimeout(this.#timer)
    await this.#outbox.close(ANSWER_MS)
    await this.#deps.stream.close()
  }

  async #beat(): Promise<readonly string[]> {
    const { alive, lost } = await this.#deps.stream.beat()
    if (lost > 0) this.#outbox.add({ kind: 'loss' })
    return alive
  }

  override record(entry: JournalEntry, live: LiveExchange): void {
    const { ownToken } = entry
    const shared = {
      entry: ownToken === undefined ? entry : { ...entry, caller: hashToken(ownToken) },
      live: live.token === undefined ? live : { ...live, token: hashToken(live.token) },
    }
    if (this.#outbox.addEntry(shared)) this.#own.push(shared)
  }

  #receive({ from, number, content }: StreamMessage): void {
    const last = this.#numbers.get(from) ?? 0
    if (number <= last) return // it was sent again, since its sender did not know that it had arrived
    if (number > last + 1) this.#noteLoss()
    this.#numbers.set(from, number)
    const isOwn = from === this.#deps.stream.id
    switch (content.kind) {
      case 'entries':
        this.#pending.push(...(isOwn ? this.#own.splice(0, content.count) : this.#decoder.decode(content)))
        this.#timer ??= setTimeout(() => this.#settleOlder(), SETTLE_MS)
        return
      case 'question':
        this.#outbox.add({ kind: 'answer', id: content.id })
        return
      case 'answer':
        this.#noteAnswer(content.id, from)
        return
      case 'clear':
        this.#noteClear(content.sandbox ?? undefined)
        return
      default:
        this.#noteLoss()
    }
  }

  /** Records the exchanges that were pending at the last call, too, and calls itself until none is pending. */
  #settleOlder(): void {
    this.#settle(this.#older)
    this.#older = this.#pending.length
    this.#timer = this.#older === 0 ? undefined : setTimeout(() => this.#settleOlder(), SETTLE_MS)
  }

  /** Records the first pending exchanges in the order in which they ended, whichever message came first. */
  #settle(count: number): void {
    const settled = this.#pending.splice(0, count)
    this.#older = 0
    for (const { entry, live } of settled.sort((a, b) => a.entry.endedAt - b.entry.endedAt)) {
      try {
        super.record({ ...entry, number: this.recorded + 1 }, live)
      } catch (error) {
        this.#deps.report(`An exchange of another replica could not be recorded (${String(error)}).`)
      }
    }
  }

  #noteLoss(): void {
    this.#losses += 1
  }

  #noteClear(sandbox: string | undefined): void {
    this.#settle(this.#pending.length)
    if (sandbox === undefined) this.#lossesAtClearOfAll = this.#losses
    else if (this.#losses > 0) this.#lossesAtClear.set(sandbox, this.#losses)
    void super.clear(sandbox)
  }

  #noteAnswer(id: string, from: string): void {
    const question = this.#questions.get(id)
    question?.open.delete(from)
    if (question?.open.size === 0) question.isAnswered()
  }

  /** Returns true if exchanges of a sandbox, or of any, may be missing. */
  override hasLoss(sandbox: string | undefined): boolean {
    const cleared = sandbox === undefined ? 0 : (this.#lossesAtClear.get(sandbox) ?? 0)
    return this.#losses > Math.max(cleared, this.#lossesAtClearOfAll)
  }

  /** Waits until this process has every exchange that ended before the call. Readers of the same turn share a question. */
  override catchUp(): Promise<void> {
    this.#asking ??= nextTurn().then(() => {
      this.#asking = undefined
      return this.#ask()
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    this.#asked += 1
    const id = `${this.#deps.stream.id} ${this.#asked}`
    const alive = await this.#beat()
    await new Promise<void>((resolve) => {
      const open = new Set([...alive, this.#deps.stream.id])
      this.#questions.set(id, { open, isAnswered: resolve })
      this.#outbox.add({ kind: 'question', id })
      void sleep(ANSWER_MS, undefined, { ref: false }).then(() => resolve())
    })
    if ((this.#questions.get(id)?.open.size ?? 0) > 0) this.#noteLoss()
    this.#questions.delete(id)
    this.#settle(this.#pending.length)
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
    this.#outbox.add({ kind: 'clear', sandbox: sandbox ?? null })
    await this.catchUp()
    return recorded - dropped
  }

  #addLoss(counts: JournalCounts, sandbox: string | undefined): JournalCounts {
    if (!this.hasLoss(sandbox)) return counts
    return { ...counts, recorded: counts.recorded + 1, dropped: counts.dropped + 1 }
  }
}
