import { hash } from 'node:crypto'
import type { JsonObject } from '../../base/core/json.ts'
import { LruCache } from '../../base/core/memoize.ts'
import type { SharedState } from '../shared-state.ts'
import { StoreUnavailableError } from '../store.ts'
import { PUT_FIELD } from './lua/sandbox-scripts.ts'
import { parseStoredJson, type SandboxScripts } from './sandbox-scripts.ts'

const MAX_ATTEMPTS = 50

/** Creates the readings and changes of the settings of sandboxes. Equal settings are parsed once, and never changed. */
export function createSettings(scripts: SandboxScripts): Pick<SharedState, 'readRecord' | 'updateRecord'> {
  const parsed = new LruCache<JsonObject>(200)
  async function read(sandbox: string) {
    const [text = ''] = await scripts.readFields(sandbox, 'settings')
    if (text === '') return { text, record: undefined }
    return { text, record: parsed.get(text, () => parseStoredJson<JsonObject>(sandbox, 'settings', text)) }
  }
  return {
    readRecord: async (sandbox) => (await read(sandbox)).record,
    async updateRecord(sandbox, update) {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const present = await read(sandbox)
        const { record, result } = update(present.record)
        if (record === present.record) return result
        const value = record === undefined ? '' : JSON.stringify(record)
        const [outcome] = await scripts.run(PUT_FIELD, sandbox, hash('sha1', present.text), 'settings', value)
        if (outcome === 'stored') return result
      }
      throw new StoreUnavailableError(
        'Other replicas kept changing the sandbox, so this change was given up; send it again.',
      )
    },
  }
}
