import type { RedisConnection, Script } from './connection.ts'
import { FORMAT_MARK } from './format-mark.ts'
import { sharedKeys } from './keys.ts'
import { LIST_SANDBOX } from './scripts.ts'

const listScript: Script = { text: LIST_SANDBOX, keys: 3 }

/**
 * The list of all sandboxes that have a log. A sandbox is listed before its log begins, and removed after it is deleted, so that a process
 * that ends in between leaves no log that is not listed. Each log has an entry of its own, with its id.
 */
export class SandboxIndex {
  readonly #connection: RedisConnection
  readonly #keys: ReturnType<typeof sharedKeys>

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#keys = sharedKeys(prefix)
  }

  async add(sandbox: string, incarnation: string): Promise<void> {
    const { sandboxes, created, format } = this.#keys
    const args = [toMember(sandbox, incarnation), FORMAT_MARK]
    await this.#connection.run(listScript, [sandboxes, created, format], args)
  }

  async remove(sandbox: string, incarnation: string): Promise<void> {
    await this.#connection.call('zrem', this.#keys.sandboxes, toMember(sandbox, incarnation))
  }

  /** Lists the names of the sandboxes in the order of their creation. */
  async list(): Promise<ReadonlySet<string>> {
    const members = (await this.#connection.call('zrange', this.#keys.sandboxes, 0, -1)) as string[]
    return new Set(members.map((member) => JSON.parse(member.slice(member.indexOf(' ') + 1)))) // of `toMember`
  }
}

const toMember = (sandbox: string, incarnation: string) => `${incarnation} ${JSON.stringify(sandbox)}`
