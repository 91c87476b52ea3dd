import type { JsonObject } from '../../base/core/json.ts'
import type { ActiveRule } from '../../service/scenarios/rules.ts'
import type { SharedState } from '../../state/shared-state.ts'
import { defaultSandbox } from './sandboxes.ts'
import type { ChangedSettings, SettingsRecords } from './settings.ts'

/** Changed settings in their stored form, in which each rule has only its source and key. */
interface StoredSettings extends Omit<ChangedSettings, 'rules'> {
  readonly rules?: readonly { readonly source: JsonObject; readonly key: string }[]
}

type ParseRule = (source: JsonObject, key: string) => ActiveRule

/** Stores changed settings in the shared state. All replicas see a change as soon as the `update` call completes. */
export class SharedRecords implements SettingsRecords {
  readonly #state: Pick<SharedState, 'readSettings' | 'updateSettings'>
  readonly #parseRule: ParseRule
  #parsed = new WeakMap<JsonObject, ChangedSettings>()
  #lastDefaultSettings: Pick<ChangedSettings, 'seed' | 'clock'> = {}

  constructor(state: Pick<SharedState, 'readSettings' | 'updateSettings'>, parseRule: ParseRule) {
    this.#state = state
    this.#parseRule = parseRule
  }

  async read(sandbox: string): Promise<ChangedSettings> {
    const settings = this.#parse(await this.#state.readSettings(sandbox))
    if (sandbox === defaultSandbox) this.#lastDefaultSettings = settings
    return settings
  }

  lastRead(sandbox: string): Pick<ChangedSettings, 'seed' | 'clock'> {
    return sandbox === defaultSandbox ? this.#lastDefaultSettings : {}
  }

  update<T>(sandbox: string, change: (current: ChangedSettings) => readonly [ChangedSettings, T]): Promise<T> {
    return this.#state.updateSettings(sandbox, (record) => {
      const current = this.#parse(record)
      const [next, result] = change(current)
      if (next === current) return { settings: record, result }
      return { settings: Object.keys(next).length === 0 ? undefined : toRecord(next), result }
    })
  }

  async changeRules(): Promise<void> {
    this.#parsed = new WeakMap() // the next read parses the rules again, with the reloaded inputs
  }

  #parse(record: JsonObject | undefined): ChangedSettings {
    if (!record) return {}
    let parsed = this.#parsed.get(record)
    if (parsed === undefined) {
      const { rules, ...others } = record as StoredSettings // written by `toRecord`
      parsed = { ...others, ...(rules && { rules: rules.map(({ source, key }) => this.#parseRule(source, key)) }) }
      this.#parsed.set(record, parsed)
    }
    return parsed
  }
}

function toRecord({ rules, ...others }: ChangedSettings): JsonObject {
  const stored: StoredSettings = {
    ...others,
    ...(rules && { rules: rules.map(({ source, key }) => ({ source, key })) }),
  }
  return JSON.parse(JSON.stringify(stored))
}
