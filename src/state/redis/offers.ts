import { LruCache } from '../../core/lru-cache.ts'
import { StoreUnavailableError } from '../store.ts'
import type { RedisReply } from './connection.ts'

/** The number of times that a change is offered before it is refused. */
const MAX_OFFERS = 50

/** The largest number of candidates that are offered at once. */
const MAX_CANDIDATES = 256

/** The largest number of counts that a process remembers. */
const REMEMBERED = 5000

/** The refusal of a change that was always too late. */
const GIVEN_UP = 'Other replicas kept changing the sandbox, so this change was given up; send it again.'

/** A count in Redis as this process expects it. */
interface KnownCount {
  count: number
  /** A record that was returned with the count, as JSON; empty: none. */
  record: string
}

/**
 * Changes whose ids depend on a count in Redis. Candidates for the expected count are offered; the script takes the one
 * for the present count, or returns that count. Each time more are offered, so that no number of other writers holds a
 * change off.
 */
export class Offers {
  readonly #known = new LruCache<KnownCount>(REMEMBERED)

  /**
   * Returns a function that offers a change. `name`: the name of the count. `send`: sends candidates for the next
   * `size` counts.
   */
  create<Args extends readonly unknown[]>(
    name: string,
    send: (known: Readonly<KnownCount>, size: number, ...args: Args) => Promise<readonly RedisReply[]>,
  ): (...args: Args) => Promise<readonly RedisReply[]> {
    const known = this.#known.get(name, () => ({ count: 0, record: '' }))
    let offers = 0
    return async (...args) => {
      const sent = send(known, Math.min(4 ** offers, MAX_CANDIDATES), ...args)
      known.count += 1 // the next change is offered for the next count, before this one has its reply
      const [outcome, present, record = '', ...others] = await sent
      if (outcome === 'stored') known.count = Math.max(known.count, Number(present) + 1)
      else Object.assign(known, { count: Number(present), record: String(record) })
      if (outcome === 'conflict') offers += 1
      if (offers > MAX_OFFERS) throw new StoreUnavailableError(GIVEN_UP)
      return [outcome ?? '', present ?? '', record, ...others]
    }
  }
}

/** Repeats a change that another process was faster than. `attempt` returns undefined if it was too late. */
export async function untilStored<T>(attempt: () => Promise<{ readonly result: T } | undefined>): Promise<T> {
  for (let offers = 0; offers < MAX_OFFERS; offers += 1) {
    const done = await attempt()
    if (done !== undefined) return done.result
  }
  throw new StoreUnavailableError(GIVEN_UP)
}
