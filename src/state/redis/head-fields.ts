import type { JsonObject } from '../../core/json.ts'
import { LruCache } from '../../core/lru-cache.ts'
import { nextTurn } from '../../core/timers.ts'
import { cloneJson, deepFreeze } from '../clone.ts'
import type { PlainCollection } from '../collections/collection.ts'
import type { RecordUpdate } from '../shared-state.ts'
import { countField, recordsField } from './keys.ts'
import { PUT_FIELD } from './lua/sandbox-scripts.ts'
import { untilStored } from './offers.ts'
import { readJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The next text of a field, and the result of its update. */
interface FieldUpdate<T> {
  /** Empty: the field is removed. Absent: it stays as it is. */
  readonly text?: string
  /** The field and the number of records that it has, for a field of plain records. */
  readonly counted?: readonly [string, number]
  readonly result: T
}

/** Replaces a field of a sandbox's head. `update` is called again if another replica was faster. */
function updateField<T>(
  scripts: SandboxScripts,
  sandbox: string,
  field: string,
  update: (text: string) => FieldUpdate<T>,
): Promise<T> {
  return untilStored(async () => {
    const [present = '', version = ''] = await scripts.readHead(sandbox, field, `${field}-version`)
    const { text, counted = [], result } = update(present)
    if (text === undefined) return { result }
    const args = [field, version, scripts.createId(), text, ...counted]
    const [outcome] = await scripts.run(PUT_FIELD, sandbox, args)
    return outcome === 'stored' ? { result } : undefined
  })
}

/** Parses the records of a plain collection. */
export function parseRecords<Item extends object>(sandbox: string, text = ''): readonly Item[] {
  return text === '' ? [] : deepFreeze(readJson<Item[]>(sandbox, 'records', text))
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
