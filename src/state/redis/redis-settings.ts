import type { JsonObject } from '../../core/json.ts'
import { LruCache } from '../../core/lru-cache.ts'
import { nextTurn } from '../../core/timers.ts'
import type { RecordUpdate } from '../shared-state.ts'
import { readJson } from './damage.ts'
import { updateField } from './head-fields.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/**
 * Reads and changes the settings of sandboxes: one small command tells whether those that the process knows are the
 * present ones.
 */
export class RedisSettings {
  readonly #scripts: SandboxScripts
  /** The settings by sandbox and version, which never change. */
  readonly #known = new LruCache<{ record?: JsonObject }>(1000)
  /** The readings that are not sent yet. */
  readonly #readings = new Map<string, Promise<JsonObject | undefined>>()

  constructor(scripts: SandboxScripts) {
    this.#scripts = scripts
  }

  /**
   * Reads the settings, which are never changed, and the head of the sandbox with them. Undefined if there are none.
   * Requests of one turn of the event loop share a command.
   */
  read(sandbox: string): Promise<JsonObject | undefined> {
    let reading = this.#readings.get(sandbox)
    if (reading === undefined) {
      reading = nextTurn().then(() => {
        this.#readings.delete(sandbox) // a later caller may know of a later change
        return this.#read(sandbox)
      })
      this.#readings.set(sandbox, reading)
    }
    return reading
  }

  async #read(sandbox: string): Promise<JsonObject | undefined> {
    const head = await this.#scripts.readHead(sandbox, 'settings-version', 'open', 'count:events', 'quality')
    const [version = '', open = '', events = '', quality = ''] = head
    this.#scripts.heads.set(sandbox, { open, events, quality })
    if (version === '') return undefined
    const known = this.#known.get(`${sandbox} ${version}`, () => ({}))
    if (known.record !== undefined) return known.record
    const [present, text] = await this.#scripts.readHead(sandbox, 'settings-version', 'settings')
    if (present !== version) return this.#read(sandbox) // they were replaced meanwhile
    known.record = readJson(sandbox, 'settings', text)
    return known.record
  }

  update<T>(sandbox: string, update: (record: JsonObject | undefined) => RecordUpdate<T>): Promise<T> {
    return updateField(this.#scripts, sandbox, 'settings', (text) => {
      const present: JsonObject | undefined = text === '' ? undefined : readJson(sandbox, 'settings', text)
      const { record, result } = update(present)
      if (record === present) return { result }
      return { text: record === undefined ? '' : JSON.stringify(record), result }
    })
  }
}
