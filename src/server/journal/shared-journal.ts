import type { Log } from '../../base/core/log.ts'
import { reasonOf } from '../../base/core/result.ts'
import type { MessagePlace } from '../../state/exchanges.ts'
import type { ExchangeRecord, JournalEntry, Recorded } from './entry.ts'
import { type FollowerDeps, StreamFollower } from './follower.ts'
import { type EntryListener, Journal } from './journal.ts'

/** The milliseconds by which the end of a delivery may be later than announced, fewer if a retry is judged by it. */
const TOLERANCE_MS = 100
const FAILED_TOLERANCE_MS = 10

/** The journal of a replica: it appends its exchanges to the stream of all, and reads the stream before it is read. */
export class SharedJournal extends Journal {
  /** Appends to the stream of all replicas, and reads it. */
  readonly follower: StreamFollower
  readonly #log: Log
  readonly #ownListeners = new Set<EntryListener>()

  constructor(size: number, { log, ...deps }: FollowerDeps & { readonly log: Log }) {
    super(size)
    this.#log = log
    this.follower = new StreamFollower(this, deps)
  }

  override get requestIdPrefix(): string {
    return this.follower.requestIdPrefix
  }

  override get isShared(): boolean {
    return true
  }

  override begin(): ExchangeRecord {
    let announced: Recorded | undefined
    let isRefused = false
    let appended: Promise<MessagePlace | undefined>
    const append = (exchange: Recorded) => {
      appended = this.follower.append(...exchange)
      return appended
    }
    const correct = ([entry]: Recorded) => {
      appended.then((place) => place && this.follower.correct(place, entry)).catch((error) => this.#warn(entry, error))
    }
    return {
      announce: async (expected) => {
        isRefused = true
        await append(expected)
        isRefused = false
        announced = expected
      },
      end: (end, create) => {
        const [entry, live] = announced ?? create()
        const delivery = entry.aborted ? entry.delivery : end.delivery
        const ended: Recorded = [{ ...entry, ...end, delivery }, live]
        if (announced && isOtherwise(ended[0], entry)) correct(ended)
        if (!announced && !isRefused) append(ended).catch((error) => this.#lose(entry, error))
        for (const listener of this.#ownListeners) listener(...ended)
        return ended
      },
      correct,
    }
  }

  override onOwnEntry(listener: EntryListener): void {
    this.#ownListeners.add(listener)
  }

  override catchUp(): Promise<void> {
    return this.follower.catchUp()
  }

  protected override follow(): void {
    void this.follower.follow()
  }

  protected override hasUncountedLoss(sandbox: string | undefined): boolean {
    return this.follower.hasLost(sandbox)
  }

  override async clear(sandbox: string | undefined, isEvicted = false): Promise<number> {
    await this.catchUp()
    const count = this.countCleared(sandbox, isEvicted)
    await this.follower.clear(sandbox)
    return count
  }

  override close(): Promise<void> {
    return this.follower.close()
  }

  #lose(entry: JournalEntry, error: unknown): void {
    this.follower.markLost(entry.sandbox)
    this.#warn(entry, error)
  }

  #warn({ id }: JournalEntry, error: unknown): void {
    const fields = { requestId: id, reason: reasonOf(error) }
    this.#log.warn(fields, 'an exchange, or its end, is missing in the journal of the other replicas')
  }
}

function isOtherwise(ended: JournalEntry, expected: JournalEntry): boolean {
  const isFailed = ended.response.status >= 400 || ended.delivery.kind !== 'delivered'
  return (
    ended.delivery.kind !== expected.delivery.kind ||
    ended.hasClientLeft !== expected.hasClientLeft ||
    (ended.headSentAt === undefined) !== (expected.headSentAt === undefined) ||
    Math.abs(ended.endedAt - expected.endedAt) > (isFailed ? FAILED_TOLERANCE_MS : TOLERANCE_MS)
  )
}
