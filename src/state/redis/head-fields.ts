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
import { parseField, parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

const MAX_ATTEMPTS = 50

/**
 * Replaces a field of a sandbox's head. `update` returns the next text, empty to remove the field, with other fields
 * and their values, if anything changes. It is called again if another replica was faster.
 */
async function updateField<T>(
  scripts: SandboxScripts,
  sandbox: string,
  field: string,
  update: (text: string) => { readonly put?: readonly Argument[]; readonly result: T },
): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const [present = ''] = await scripts.readFields(sandbox, field)
    const { put, result } = update(present)
    if (put === undefined) return result
    const [outcome] = await scripts.run(PUT_FIELDS, sandbox, hash('sha1', present), field, ...put)
    if (outcome === 'stored') return result
  }
  throw new StoreUnavailableError(
    'Other replicas kept changing the sandbox, so this change was given up; send it again.',
  )
}

export function updateRecord<Item extends object>(
  scripts: SandboxScripts,
  sandbox: string,
  collection: PlainCollection<Item>,
  key: string,
  update: (record: Item | undefined) => Item | undefined,
): Promise<Item | undefined> {
  return updateField<Item | undefined>(scripts, sandbox, recordsField(collection.name), (text) => {
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
  const parsed = new LruCache<JsonObject>(200)
  const parse = (sandbox: string, text = '') =>
    text === '' ? undefined : parsed.get(text, () => parseStoredJson<JsonObject>(sandbox, 'settings', text))
  return {
    async readRecord(sandbox) {
      const [text] = await scripts.readFields(sandbox, 'settings')
      return parse(sandbox, text)
    },
    updateRecord: (sandbox, update) =>
      updateField(scripts, sandbox, 'settings', (text) => {
        const present = parse(sandbox, text)
        const { record, result } = update(present)
        return record === present ? { result } : { put: [record === undefined ? '' : JSON.stringify(record)], result }
      }),
  }
}
