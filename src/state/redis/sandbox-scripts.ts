import { reasonOf } from '../../core/result.ts'
import { StoreReadError } from '../store.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'
import { Offers } from './offers.ts'
import { WriteOrder } from './write-order.ts'

/** An argument of a script. */
export type Argument = string | number

/** Runs scripts on sandboxes (`lua/`). Those of a fork change nothing and answer as if they did. */
export class SandboxScripts {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly isFork: boolean
  readonly heads = new FreshHeads()
  readonly offers = new Offers()
  readonly order: WriteOrder
  /** Creates the ids of segments and versions of fields, which no two processes may share. */
  readonly createId: () => string
  readonly #registry: readonly string[]

  constructor(
    connection: RedisConnection,
    prefix: string,
    createId: () => string,
    order = new WriteOrder(createId),
    isFork = false,
  ) {
    const { sandboxes, created, format } = sharedKeys(prefix)
    this.connection = connection
    this.prefix = prefix
    this.isFork = isFork
    this.order = order
    this.createId = createId
    this.#registry = [sandboxes, created, format]
  }

  fork(): SandboxScripts {
    return new SandboxScripts(this.connection, this.prefix, this.createId, this.order, true)
  }

  /**
   * Runs a script. `segment`: the id of a segment that may begin; `group`: see `WriteOrder`. Returns its words, texts
   * and numbers.
   */
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
    return this.order.run(sandbox, (group) => this.run(script, sandbox, args, segment, group))
  }

  /** Runs a script that takes a candidate for a count (see `Offers`), in the order of this process's writes. */
  offer(
    script: Script,
    sandbox: string,
    name: string,
    argumentsFor: (count: number, size: number, record: string) => readonly Argument[],
  ): Promise<readonly RedisReply[]> {
    const offer = this.offers.create(name, ({ count, record }, size, group: string) =>
      this.run(script, sandbox, argumentsFor(count, size, record), undefined, group),
    )
    return this.order.run(sandbox, offer)
  }

  /** Returns the key of a part of a sandbox. */
  key(sandbox: string, kind: string, segment: string): string {
    return sandboxKeys(this.prefix, sandbox).part(kind, segment)
  }
}

/**
 * Parses JSON that this store has written. Throws a `StoreReadError` with the sandbox and the kind of record if it is
 * damaged. The next step is one for Redis, since the simulator cannot mend it.
 */
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

/** The part of a sandbox's head that is read with its settings. */
export interface SandboxHead {
  /** The id of the open segment; empty: the sandbox has no data. */
  readonly open: string
  /** The number of events; empty: none. */
  readonly events: string
  /** The quality settings as JSON; empty: never changed. */
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
