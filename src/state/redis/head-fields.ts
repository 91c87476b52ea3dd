import type { JsonObject } from '../../core/json.ts'
import { LruCache } from '../../core/lru-cache.ts'
import { nextTurn } from '../../core/timers.ts'
import { cloneJson, deepFreeze } from '../clone.ts'
import type { PlainCollection } from '../collections/collection.ts'
import type { RecordUpdate } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import { countField, recordsField } from './keys.ts'
import { PUT_FIELD } from './lua/sandbox-scripts.ts'
import { parseRecords } from './read-content.ts'
import { GIVEN_UP, MAX_OFFERS, readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The next text of a field, and the result of its update. */
interface FieldUpdate<T> {
  /** An empty text removes the field; without a text it stays as it is. */
  readonly text?: string
  /** The field and the number of records that it has, for a field of plain records. */
  readonly counted?: readonly [string, number]
  readonly result: T
}

/** Replaces a field of a sandbox's head. `update` is called again if another replica was faster. */
async function updateField<T>(
  scripts: SandboxScripts,
  sandbox: string,
  field: string,
  update: (text: string) => FieldUpdate<T>,
): Promise<T> {
  for (let offers = 0; offers < MAX_OFFERS; offers += 1) {
    const [present = '', version = ''] = await scripts.readHead(sandbox, field, `${field}-version`)
    const { text, counted = [], result } = update(present)
    if (text === undefined) return result
    const [outcome] = await scripts.run(PUT_FIELD, sandbox, [field, version, scripts.createId(), text, ...counted])
    if (outcome === 'stored') return result
  }
  throw new StoreUnavailableError(GIVEN_UP)
}

/** Does what `Store.updateRecord` describes. */
export function updateRecord<Item extends object>(
  scripts: SandboxScripts,
  sandbox: string,
  { name, keyOf }: PlainCollection<Item>,
  key: string,
  update: (record: Item | undefined) => Item | undefined,
): Promise<Item | undefined> {
  return updateField<Item | undefined>(scripts, sandbox, recordsField(name), (text) => {
    const records = parseRecords<Item>(sandbox, text)
    const index = records.findIndex((record) => keyOf(record) === key)
    const present = records[index]
    const next = update(present)
    if (next === present) return { result: present }
    const result = next && deepFreeze(cloneJson(next))
    if (result && keyOf(result) !== key) throw new Error(`the record of ${key} has another key`)
    const all = records.toSpliced(index < 0 ? records.length : index, 1, ...(result ? [result] : []))
    return { text: JSON.stringify(all), counted: [countField(name), all.length], result }
  })
}

/** Reads and changes the settings of sandboxes. Settings are parsed once for each version, which never changes. */
export class RedisSettings {
  readonly #scripts: SandboxScripts
  readonly #known = new LruCache<{ record?: JsonObject }>(1000)
  /** The readings that are not sent yet. */
  readonly #readings = new Map<string, Promise<JsonObject | undefined>>()

  constructor(scripts: SandboxScripts) {
    this.#scripts = scripts
  }

  /** Reads the settings, and the head of the sandbox with them. Requests of one turn share a command. */
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
