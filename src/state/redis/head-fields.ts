/** The fields of a sandbox's head that are one text: quality settings, plain records, and the sandbox's settings. */
import { hash } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import { LruCache } from '../../core/lru-cache.ts'
import { nextTurn } from '../../core/timers.ts'
import { type PlainCollection, replaceRecord } from '../collections/collection.ts'
import { DEFAULT_QUALITY, type QualitySettings } from '../records.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import type { Argument } from './connection.ts'
import { countField, recordsField } from './keys.ts'
import { PUT_FIELDS } from './lua/sandbox-scripts.ts'
import { parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

/** The number of times that a change is sent before it is refused. */
const MAX_ATTEMPTS = 50

/** The next text of a field, and the result of its update. */
interface FieldUpdate<T> {
  /** An empty text removes the field; without a text it stays as it is. */
  readonly text?: string
  /** A field that changes with it, and its value. */
  readonly beside?: readonly Argument[]
  readonly result: T
}

/** Replaces a field of a sandbox's head. `update` is called again if another replica was faster. */
async function updateField<T>(
  scripts: SandboxScripts,
  sandbox: string,
  kind: 'data' | 'settings',
  field: string,
  update: (text: string) => FieldUpdate<T>,
): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const [present = ''] = await scripts.readHead(sandbox, field)
    const { text, beside = [], result } = update(present)
    if (text === undefined) return result
    const [outcome] = await scripts.run(PUT_FIELDS, sandbox, [hash('sha1', present), kind, field, text, ...beside])
    if (outcome === 'stored') return result
  }
  throw new StoreUnavailableError(
    'Other replicas kept changing the sandbox, so this change was given up; send it again.',
  )
}

/** Parses quality settings. An empty text stands for those of a sandbox that never changed them. */
export function parseQuality(sandbox: string, text: string): QualitySettings {
  if (text === '') return DEFAULT_QUALITY
  return Object.freeze(parseStoredJson<QualitySettings>(sandbox, 'quality settings', text))
}

/** Parses the records of a plain collection. */
export function parseRecords<Item extends object>(sandbox: string, text: string): readonly Item[] {
  return text === '' ? [] : parseStoredJson<Item[]>(sandbox, 'records', text)
}

/** Does what `Store.updateRecord` describes. */
export function updateRecord<Item extends object>(
  scripts: SandboxScripts,
  sandbox: string,
  collection: PlainCollection<Item>,
  key: string,
  update: (record: Item | undefined) => Item | undefined,
): Promise<Item | undefined> {
  return updateField<Item | undefined>(scripts, sandbox, 'data', recordsField(collection.name), (text) => {
    const records = parseRecords<Item>(sandbox, text)
    const index = records.findIndex((record) => collection.keyOf(record) === key)
    const present = records[index]
    const result = replaceRecord(collection, key, present, update)
    if (result === present) return { result }
    const all = records.toSpliced(index < 0 ? records.length : index, 1, ...(result ? [result] : []))
    return { text: JSON.stringify(all), beside: [countField(collection.name), all.length], result }
  })
}

/**
 * Creates the readings and changes of the settings of sandboxes. Equal settings are parsed once, and never changed.
 * Requests of one turn share a reading, which reads the head of the sandbox, too.
 */
export function createSettings(scripts: SandboxScripts): Pick<SharedState, 'readRecord' | 'updateRecord'> {
  /** The settings by their version. */
  const all = new LruCache<{ record?: JsonObject }>(1000)
  /** The readings that are not sent yet. */
  const readings = new Map<string, Promise<JsonObject | undefined>>()

  async function read(sandbox: string): Promise<JsonObject | undefined> {
    readings.delete(sandbox) // a later caller may know of a later change
    const head = await scripts.readHead(sandbox, 'settings-version', 'generation', 'count:events', 'quality')
    const [version = '', ...others] = head
    scripts.offerHead(sandbox, others)
    if (version === '') return undefined
    const known = all.get(version, () => ({}))
    if (known.record) return known.record
    const [present, text] = await scripts.readHead(sandbox, 'settings-version', 'settings')
    if (present !== version) return read(sandbox) // they were replaced meanwhile
    known.record = parseStoredJson<JsonObject>(sandbox, 'settings', text)
    return known.record
  }

  return {
    readRecord(sandbox) {
      const reading = readings.get(sandbox) ?? nextTurn().then(() => read(sandbox))
      readings.set(sandbox, reading)
      return reading
    },
    updateRecord: (sandbox, update) =>
      updateField(scripts, sandbox, 'settings', 'settings', (text) => {
        const present = text === '' ? undefined : parseStoredJson<JsonObject>(sandbox, 'settings', text)
        const { record, result } = update(present)
        if (record === present) return { result }
        const next = record === undefined ? '' : JSON.stringify(record)
        return { text: next, beside: ['settings-version', hash('sha1', next)], result }
      }),
  }
}
