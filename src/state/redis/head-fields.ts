/** The fields of a sandbox's head that are changed as a whole: plain records, and the settings of the sandbox. */
import { hash } from 'node:crypto'
import type { JsonObject } from '../../base/core/json.ts'
import { LruCache } from '../../base/core/memoize.ts'
import { type PlainCollection, replaceRecord } from '../collections/collection.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import type { Argument } from './connection.ts'
import { countField, recordsField } from './keys.ts'
import { PUT_FIELDS } from './lua/sandbox-scripts.ts'
import { parseField, type SandboxScripts } from './sandbox-scripts.ts'

/** The number of times that a change is sent before it is refused. */
const MAX_ATTEMPTS = 50

/** The next text of a field, and the result of its update. */
interface FieldUpdate<T> {
  /** The text, empty to remove the field, then other fields and their values. Absent: nothing changes. */
  readonly put?: readonly Argument[]
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
    const [present = ''] = await scripts.readFields(sandbox, field)
    const { put, result } = update(present)
    if (put === undefined) return result
    const [outcome] = await scripts.run(PUT_FIELDS, sandbox, [hash('sha1', present), kind, field, ...put])
    if (outcome === 'stored') return result
  }
  throw new StoreUnavailableError(
    'Other replicas kept changing the sandbox, so this change was given up; send it again.',
  )
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
    const records = parseField<readonly Item[]>(sandbox, 'records', text, [])
    const index = records.findIndex((record) => collection.keyOf(record) === key)
    const present = records[index]
    const result = replaceRecord(collection, key, present, update)
    if (result === present) return { result }
    const all = records.toSpliced(index < 0 ? records.length : index, 1, ...(result ? [result] : []))
    return { put: [JSON.stringify(all), countField(collection.name), all.length], result }
  })
}

/** Creates the readings and changes of the settings of sandboxes. Equal settings are parsed once, and never changed. */
export function createSettings(scripts: SandboxScripts): Pick<SharedState, 'readRecord' | 'updateRecord'> {
  const parse = (sandbox: string, text: string | undefined) =>
    parseField<JsonObject | undefined>(sandbox, 'settings', text, undefined)
  /** The settings by their version. */
  const all = new LruCache<{ record?: JsonObject | undefined }>(1000)
  async function readRecord(sandbox: string): Promise<JsonObject | undefined> {
    const { version } = await scripts.readHead(sandbox)
    if (version === '') return undefined
    const known = all.get(version, () => ({}))
    if (known.record) return known.record
    const [present, text] = await scripts.readFields(sandbox, 'settings-version', 'settings')
    if (present !== version) return readRecord(sandbox) // they were replaced meanwhile
    known.record = parse(sandbox, text)
    return known.record
  }
  return {
    readRecord,
    updateRecord: (sandbox, update) =>
      updateField(scripts, sandbox, 'settings', 'settings', (text) => {
        const present = parse(sandbox, text)
        const { record, result } = update(present)
        if (record === present) return { result }
        const next = record === undefined ? '' : JSON.stringify(record)
        return { put: [next, 'settings-version', hash('sha1', next)], result }
      }),
  }
}
