import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { RateResult } from '../store.ts'
import type { RedisConnection, RedisReply } from './connection.ts'
import { sandboxKeys } from './keys.ts'
import { CONSUME_RATE, LIST_SEQUENCES, NEXT_SEQUENCE_INDEX } from './lua/counter-scripts.ts'

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which unused sequences, and rate windows besides their length, are forgotten. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/** The counters of all replicas. Each step is one script; the script that replaces a sandbox's data discards them. */
export class RedisCounters {
  readonly #connection: RedisConnection
  readonly #prefix: string
  /** The steps of a fork by their counter, which Redis does not have. Undefined for the counters themselves. */
  readonly #own: Map<string, number> | undefined

  constructor(connection: RedisConnection, prefix: string, own?: Map<string, number>) {
    this.#connection = connection
    this.#prefix = prefix
    this.#own = own
  }

  async consumeRate(sandbox: string, key: string, limit: number, windowMs: number, now: number): Promise<RateResult> {
    const windows = `${sandboxKeys(this.#prefix, sandbox)}windows`
    const field = shorten(key, 0) // a hash, since the key has the token of a caller
    const lifeMs = Math.ceil(windowMs) + UNUSED_MS
    const args = [field, this.#ownSteps(windows, field), MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
    const reply = await this.#connection.run(CONSUME_RATE, [windows, `${windows}-order`], args)
    const [outcome, used, ends] = reply as RedisReply[] // the script returns these
    if (outcome === 'allowed') this.#countOwn(windows, field)
    const remaining = Math.max(0, limit - Number(used))
    return { allowed: outcome === 'allowed', limit, remaining, resetMs: Number(ends) - now }
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const sequences = `${sandboxKeys(this.#prefix, sandbox)}sequences`
    const field = shorten(key, MAX_SEQUENCE_KEY)
    const args = [field, this.#ownSteps(sequences, field), MAX_SEQUENCES, UNUSED_MS]
    this.#countOwn(sequences, field)
    return Number(await this.#connection.run(NEXT_SEQUENCE_INDEX, [sequences, `${sequences}-order`], args))
  }

  /** Counts the sequences in Redis, without the steps of a fork. */
  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const sequences = `${sandboxKeys(this.#prefix, sandbox)}sequences`
    const listed = (await this.#connection.run(LIST_SEQUENCES, [sequences, `${sequences}-order`], [])) as string[]
    const pairs = (_: unknown, index: number) => [listed[2 * index] ?? '', Number(listed[2 * index + 1])] as const
    return new Map(Array.from({ length: listed.length / 2 }, pairs))
  }

  fork(): RedisCounters {
    return new RedisCounters(this.#connection, this.#prefix, new Map(this.#own))
  }

  #ownSteps(hash: string, field: string): number | string {
    return this.#own === undefined ? '' : (this.#own.get(`${hash} ${field}`) ?? 0)
  }

  #countOwn(hash: string, field: string): void {
    const name = `${hash} ${field}`
    this.#own?.set(name, (this.#own.get(name) ?? 0) + 1)
  }
}
