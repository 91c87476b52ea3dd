import { randomUUID } from 'node:crypto'
import { reasonOf } from '../../base/core/result.ts'
import { StoreReadError } from '../store.ts'
import type { Argument, RedisConnection, RedisReply, Script } from './connection.ts'
import { sandboxKeys, sharedKeys } from './keys.ts'

/** Runs sandbox scripts. In a fork, the scripts reply as usual but change nothing. */
export class SandboxScripts {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly isFork: boolean
  /** Creates IDs that are unique across processes. */
  readonly createId = randomUUID
  readonly #registry: readonly string[]

  constructor(connection: RedisConnection, prefix: string, isFork = false) {
    this.connection = connection
    this.prefix = prefix
    this.isFork = isFork
    this.#registry = ['sandboxes', 'created', 'format'].map((key) => sharedKeys(prefix) + key)
  }

  fork(): SandboxScripts {
    return new SandboxScripts(this.connection, this.prefix, true)
  }

  keyOf(sandbox: string, part: string): string {
    return sandboxKeys(this.prefix, sandbox) + part
  }

  async run(script: Script, sandbox: string, ...args: readonly Argument[]): Promise<readonly RedisReply[]> {
    const keys = [this.keyOf(sandbox, 'head'), ...this.#registry]
    const all = [this.isFork ? 'dry' : 'store', JSON.stringify(sandbox), ...args]
    return (await this.connection.run(script, keys, all)) as RedisReply[] // all scripts return lists
  }

  async readFields(sandbox: string, ...fields: readonly string[]): Promise<readonly string[]> {
    const texts = await this.connection.call('hmget', this.keyOf(sandbox, 'head'), ...fields)
    return (texts as (string | null)[]).map((text) => text ?? '')
  }
}

/** Parses JSON written by this store. If the JSON is damaged, throws a `StoreReadError` that says what to do. */
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

export function parseField<T>(sandbox: string, kind: string, text: string | undefined, defaultValue: T): T {
  return text ? parseStoredJson<T>(sandbox, kind, text) : defaultValue
}
