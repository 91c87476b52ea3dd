import { LruCache } from '../../core/lru-cache.ts'
import { reasonOf } from '../../core/result.ts'
import { StoreReadError, StoreUnavailableError } from '../store.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'
import { WriteOrder } from './write-order.ts'

/** An argument of a script. */
export type Argument = string | number

/** The number of times that a change is sent before it is refused. */
export const MAX_OFFERS = 50

/** The refusal of a change that was always too late. */
export const GIVEN_UP = 'Other replicas kept changing the sandbox, so this change was given up; send it again.'

/** The largest number of candidates that are offered at once. */
const MAX_CANDIDATES = 256

/** A count in Redis as this process expects it, and the record that was returned with it as JSON, or an empty text. */
interface KnownCount {
  count: number
  record: string
}

/** Runs scripts on sandboxes (`lua/`). Those of a fork change nothing and answer as if they did. */
export class SandboxScripts {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly isFork: boolean
  readonly heads = new FreshHeads()
  /** Creates the ids of segments and versions of fields, which no two processes may share. */
  readonly createId: () => string
  readonly #order: WriteOrder
  readonly #registry: readonly string[]
  readonly #counts = new LruCache<KnownCount>(5000)

  /** `origin`: the scripts of which this is a fork. */
  constructor(connection: RedisConnection, prefix: string, createId: () => string, origin?: SandboxScripts) {
    const { sandboxes, created, format } = sharedKeys(prefix)
    this.connection = connection
    this.prefix = prefix
    this.createId = createId
    this.isFork = origin !== undefined
    this.#order = origin === undefined ? new WriteOrder(createId) : origin.#order
    this.#registry = [sandboxes, created, format]
  }

  fork(): SandboxScripts {
    return new SandboxScripts(this.connection, this.prefix, this.createId, this)
  }

  /** Runs a script. `segment` is the id of a segment that may begin; `WriteOrder` describes `group`. */
  async run(
    script: Script,
    sandbox: string,
    args: readonly Argument[] = [],
    segment = this.createId(),
    group = '',
  ): Promise<readonly RedisReply[]> {
    const keys = [sandboxKeys(this.prefix, sandbox).head, ...this.#registry]
    const all = [this.isFork ? 'dry' : 'store', JSON.stringify(sandbox), segment, group, ...args]
    try {
      return (await this.connection.run(script, keys, all)) as RedisReply[] // all scripts return lists
    } finally {
      this.heads.forget(sandbox)
    }
  }

  /** Reads fields of the head of a sandbox. Empty texts stand for those that it does not have. */
  async readHead(sandbox: string, ...fields: readonly string[]): Promise<readonly string[]> {
    const { head } = sandboxKeys(this.prefix, sandbox)
    const texts = (await this.connection.call('hmget', head, ...fields)) as (string | null)[]
    return texts.map((text) => text ?? '')
  }

  /** Runs a script that changes a sandbox, in the order of this process's writes. */
  write(script: Script, sandbox: string, args: readonly Argument[] = [], segment?: string) {
    return this.#order.run(sandbox, (group) => this.run(script, sandbox, args, segment, group))
  }

  /**
   * Runs a script whose ids depend on the count `name` in Redis, in the order of this process's writes. Candidates for
   * the expected count are offered; the script takes the one for the present count, or returns that count. Each time
   * more are offered, so that no number of other writers holds a change off.
   */
  offer(
    script: Script,
    sandbox: string,
    name: string,
    argumentsFor: (count: number, size: number, record: string) => readonly Argument[],
  ): Promise<readonly RedisReply[]> {
    const known = this.#counts.get(name, () => ({ count: 0, record: '' }))
    let offers = 0
    return this.#order.run(sandbox, async (group) => {
      const args = argumentsFor(known.count, Math.min(4 ** offers, MAX_CANDIDATES), known.record)
      const sent = this.run(script, sandbox, args, undefined, group)
      known.count += 1 // the next change is offered for the next count, before this one has its reply
      const reply = await sent
      const [outcome, present, record = ''] = reply
      if (outcome === 'stored') known.count = Math.max(known.count, Number(present) + 1)
      else Object.assign(known, { count: Number(present), record: String(record) })
      if (outcome === 'conflict') offers += 1
      if (offers > MAX_OFFERS) throw new StoreUnavailableError(GIVEN_UP)
      return reply
    })
  }

  /** Returns the key of a part of a sandbox. */
  key(sandbox: string, kind: string, segment: string): string {
    return sandboxKeys(this.prefix, sandbox).part(kind, segment)
  }
}

/** Parses JSON that this store has written. Throws a `StoreReadError` with the next step if it is damaged. */
export function readJson<T>(sandbox: string, kind: string, text: RedisReply | undefined): T {
  try {
    return JSON.parse(String(text ?? ''))
  } catch (error) {
    throw new StoreReadError(
      `The sandbox "${sandbox}" cannot be read: its ${kind} in Redis are damaged (${reasonOf(error)}). ` +
        'Restore Redis from a backup, or delete the sandbox (DELETE /__sim/sandboxes/NAME).',
      { cause: error },
    )
  }
}

/** The part of a sandbox's head that is read with its settings. Texts are empty for what the sandbox does not have. */
interface SandboxHead {
  /** The id of the open segment. */
  readonly open: string
  readonly events: string
  readonly quality: string
}

/**
 * The heads that were read in the callback that runs. Each request reads the settings first, and with them the head:
 * what it then reads before it waits for anything else needs no round trip (one less for a GET). A head is gone once
 * the callback's promises have run, so no caller that may know of a later change finds it.
 */
class FreshHeads {
  readonly #heads = new Map<string, SandboxHead>()

  set(sandbox: string, head: SandboxHead): void {
    if (this.#heads.size === 0) process.nextTick(() => this.#heads.clear())
    this.#heads.set(sandbox, head)
  }

  get(sandbox: string): SandboxHead | undefined {
    return this.#heads.get(sandbox)
  }

  forget(sandbox: string): void {
    this.#heads.delete(sandbox)
  }
}
