import { randomUUID } from 'node:crypto'
import { reasonOf } from '../../base/core/result.ts'
import { nextTick, nextTurn } from '../../base/core/timers.ts'
import { StoreReadError } from '../store.ts'
import type { Argument, RedisConnection, RedisReply, Script } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'

/** The part of a sandbox's head that most requests need. Empty texts stand for what was never changed. */
export interface SandboxHead {
  /** The digest of the settings. */
  readonly version: string
  readonly quality: string
  /**
   * The name of the state of the events, which tells whether known sums are current. After another connection to Redis,
   * all states have other names. Empty for a sandbox without data, which would have the same name after a reset.
   */
  readonly state: string
}

/** Runs scripts on sandboxes (`lua/`). Those of a fork change nothing and response as if they did. */
export class SandboxScripts {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly isFork: boolean
  /** Creates the names of generations, imports and replicas, which no two processes may share. */
  readonly createId = randomUUID
  readonly #registry: readonly string[]
  /** The heads that will be read in the next turn. */
  readonly #readings = new Map<string, Promise<SandboxHead>>()
  readonly #freshHeads = new Map<string, SandboxHead>()

  constructor(connection: RedisConnection, prefix: string, isFork = false) {
    this.connection = connection
    this.prefix = prefix
    this.isFork = isFork
    this.#registry = ['sandboxes', 'created', 'format'].map((key) => sharedKeys(prefix) + key)
  }

  fork(): SandboxScripts {
    return new SandboxScripts(this.connection, this.prefix, true)
  }

  /** Runs a script. */
  async run(script: Script, sandbox: string, args: readonly Argument[] = []): Promise<readonly RedisReply[]> {
    const keys = [`${sandboxKeys(this.prefix, sandbox)}head`, ...this.#registry]
    const all = [this.isFork ? 'dry' : 'store', JSON.stringify(sandbox), this.createId(), ...args]
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
  async readFields(sandbox: string, ...fields: readonly string[]): Promise<readonly string[]> {
    const texts = await this.connection.call('hmget', `${sandboxKeys(this.prefix, sandbox)}head`, ...fields)
    return (texts as (string | null)[]).map((text) => text ?? '')
  }

  /** Reads the head of a sandbox. Callers of one turn share a reading. */
  readHead(sandbox: string): Promise<SandboxHead> {
    const reading = this.#readings.get(sandbox) ?? nextTurn().then(() => this.#readHead(sandbox))
    this.#readings.set(sandbox, reading)
    return reading
  }

  async #readHead(sandbox: string): Promise<SandboxHead> {
    this.#readings.delete(sandbox) // a later caller may know of a later change
    const fields = await this.readFields(sandbox, 'settings-version', 'quality', 'generation', 'count:events')
    const [version = '', quality = '', generation = '', events] = fields
    const head = { version, quality, state: generation && `${this.connection.connections} ${generation} ${events}` }
    if (this.#freshHeads.size === 0) nextTick(() => this.#freshHeads.clear())
    this.#freshHeads.set(sandbox, head)
    return head
  }

  /**
   * Returns the head that was read in the callback that runs, if any. Each request reads its head first, for the
   * settings, so that what it asks before it waits for anything else needs no round trip (one less for a GET). The head
   * is gone once the callback's promises have run, or a change was handled, of which a caller may know.
   */
  freshHead(sandbox: string): SandboxHead | undefined {
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

/** Parses a field of the head. An empty text stands for a field that was never put. */
export function parseField<T>(sandbox: string, kind: string, text: string | undefined, absent: T): T {
  return text ? parseStoredJson<T>(sandbox, kind, text) : absent
}
