import { cloneJson, deepFreeze } from '../clone.ts'
import type { PlainCollection } from '../collections/collection.ts'
import { readJson } from './damage.ts'
import { countField, recordsField } from './keys.ts'
import { PUT_FIELD } from './lua/sandbox-scripts.ts'
import { untilStored } from './offers.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The next text of a field, and the result of its update. */
interface FieldUpdate<T> {
  /** Empty: the field is removed. Absent: it stays as it is. */
  readonly text?: string
  /** The field and the number of records that it has, for a field of plain records. */
  readonly counted?: readonly [string, number]
  readonly result: T
}

/** Replaces a field of a sandbox's head. `update` is called again if another replica was faster. */
export function updateField<T>(
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
