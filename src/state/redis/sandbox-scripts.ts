import { randomUUID } from 'node:crypto'
import { reasonOf } from '../../core/result.ts'
import { nextTick } from '../../core/timers.ts'
import { StoreReadError } from '../store.ts'
import type { Argument, RedisConnection, RedisReply, Script } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'

/** A part of a sandbox's head. */
export interface FreshHead {
  /**
   * The name of the state of the events, which tells whether known sums are current. After another connection to Redis,
   * all states have other names.
   */
  readonly state: string
  /** Empty: the default. */
  readonly quality: string
}

/** Runs scripts on sandboxes (`lua/`). Those of a fork change nothing and answer as if they did. */
export class SandboxScripts {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly isFork: boolean
  /** Creates the names of generations and replicas, which no two processes may share. */
  readonly createId = randomUUID
  readonly #registry: readonly string[]
  readonly #freshHeads = new Map<string, FreshHead>()

  constructor(connection: RedisConnection, prefix: string, isFork = false) {
    this.connection = connection
    this.prefix = prefix
    this.isFork = isFork
    this.#registry = ['sandboxes', 'created', 'format'].map((key) => sharedKeys(prefix) + key)
  }

  fork(): SandboxScripts {
    return new SandboxScripts(this.connection, this.prefix, true)
  }

  /** Runs a script. `generation` names data that may begin; `part` is the beginning of the keys of an import. */
  async run(
    script: Script,
    sandbox: string,
    args: readonly Argument[] = [],
    generation: string = this.createId(),
    part = '',
  ): Promise<readonly RedisReply[]> {
    const keys = [`${sandboxKeys(this.prefix, sandbox)}${part}head`, ...this.#registry]
    const all = [this.isFork ? 'dry' : 'store', part ? '' : JSON.stringify(sandbox), generation, ...args]
    try {
      return (await this.connection.run(script, keys, all)) as RedisReply[] // all scripts return lists
    } finally {
      this.#freshHeads.delete(sandbox)
    }
  }

  /** Runs a script that changes a sandbox, and returns the first part of its reply. */
  async change(script: Script, sandbox: string, ...args: readonly Argument[]): Promise<RedisReply | undefined> {
    return (await this.run(script, sandbox, args))[0]
  }

  /** Reads fields of the head of a sandbox. Empty texts stand for those that it does not have. */
  async readHead(sandbox: string, ...fields: readonly string[]): Promise<readonly string[]> {
    const texts = await this.connection.call('hmget', `${sandboxKeys(this.prefix, sandbox)}head`, ...fields)
    return (texts as (string | null)[]).map((text) => text ?? '')
  }

  /**
   * Offers a head that was just read to the callback that runs. Each request reads the settings first, and with them
   * the head: what it then reads before it waits for anything else needs no round trip (one less for a GET). The head
   * is gone once the callback's promises have run, so no caller that may know of a later change finds it. Returns the
   * name of the state.
   */
  offerHead(sandbox: string, [generation, events, quality]: readonly (RedisReply | undefined)[]): string {
    if (this.#freshHeads.size === 0) nextTick(() => this.#freshHeads.clear())
    const state = `${this.connection.connections} ${generation} ${events}`
    this.#freshHeads.set(sandbox, { state, quality: String(quality) })
    return state
  }

  /** Returns the head that was read in the callback that runs, if any. */
  freshHead(sandbox: string): FreshHead | undefined {
    return this.#freshHeads.get(sandbox)
  }
}

/** Parses JSON that this store has written. Throws a `StoreReadError` with the next step if it is damaged. */
export function parseStoredJson<T>(sandbox: string, kind: string, text: RedisReply | undefined): T {
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
