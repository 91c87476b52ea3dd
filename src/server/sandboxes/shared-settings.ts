import type { JsonObject } from '../../base/core/json.ts'
import { type ActiveRule, type ActiveRules, activateRules, maxRules, type Rule } from '../../service/scenarios/rules.ts'
import type { SharedState } from '../../state/shared-state.ts'
import { Clock, type ClockMode, type ClockSetting, type ClockState } from './clock.ts'
import { defaultSandbox } from './sandboxes.ts'
import {
  type InitialSettings,
  joinRules,
  type RulePosition,
  type SandboxSettings,
  type SandboxSettingsStore,
} from './settings.ts'

/** The store of one record for each sandbox, which all replicas read and change. */
type SettingsRecords = Pick<SharedState, 'readRecord' | 'updateRecord'>

/** The stored settings of a sandbox. An absent member has the value of the start. */
interface SettingsRecord {
  readonly seed?: string
  readonly clock?: ClockSetting
  readonly rules?: readonly StoredRule[]
  /** The number of times that rules were put or added, so that no two rules have the same key. */
  readonly activations?: number
}

/** The record of a sandbox whose settings were never changed. */
const noChanges: SettingsRecord = {}

/** The settings of a record. */
interface ParsedSettings {
  readonly seed: string
  readonly rules: ActiveRules
  readonly clock: Clock
}

/** A rule as it was put, with its key. */
interface StoredRule {
  readonly source: JsonObject
  readonly key: string
}

/** Parses a stored rule by the present contract. One that does not fit has the reason. */
export type ParseRule = (source: JsonObject, key: string) => ActiveRule

/** Holds settings in a shared store: all replicas have them once the call that sets them has returned. */
export class SharedSandboxSettings implements SandboxSettingsStore {
  readonly #initial: InitialSettings
  readonly #records: SettingsRecords
  readonly #parseRule: ParseRule
  /** The parsed settings of records, which are never changed. */
  #parsed = new WeakMap<SettingsRecord, ParsedSettings>()
  #lastOfDefault = noChanges

  constructor(initial: InitialSettings, records: SettingsRecords, parseRule: ParseRule) {
    this.#initial = initial
    this.#records = records
    this.#parseRule = parseRule
  }

  async read(sandbox: string): Promise<SandboxSettings> {
    const record: SettingsRecord = (await this.#records.readRecord(sandbox)) ?? noChanges
    if (sandbox === defaultSandbox) this.#lastOfDefault = record
    return this.#show(record)
  }

  lastRead(sandbox: string): SandboxSettings {
    return this.#show(sandbox === defaultSandbox ? this.#lastOfDefault : noChanges)
  }

  #show(record: SettingsRecord): SandboxSettings {
    const { seed, rules, clock } = this.#parse(record)
    return { seed, rules, clock: clock.state() }
  }

  async setSeed(sandbox: string, seed: string): Promise<void> {
    await this.#update(sandbox, (record) => ({ record: { ...record, seed }, result: undefined }))
  }

  async setRules(sandbox: string, rules: readonly Rule[]): Promise<ActiveRules> {
    return this.#update(sandbox, (record) => {
      const { activations, added } = activate(sandbox, record, rules)
      return { record: { ...record, activations, rules: added.map(toStored) }, result: added }
    })
  }

  async addRules(sandbox: string, rules: readonly Rule[], position: RulePosition): Promise<ActiveRules | undefined> {
    return this.#update(sandbox, (record) => {
      const present = this.#parse(record).rules
      if (present.length + rules.length > maxRules) return { record, result: undefined }
      const { activations, added } = activate(sandbox, record, rules)
      const all = joinRules(present, added, position)
      return { record: { ...record, activations, rules: all.map(toStored) }, result: all }
    })
  }

  /** Forgets what is parsed, so that the next read parses them by the present contract; the stored ones stay. */
  async changeRules(): Promise<void> {
    this.#parsed = new WeakMap()
  }

  async setClock(sandbox: string, mode: ClockMode, now?: number): Promise<ClockState> {
    return this.#update(sandbox, (record) => {
      const clock = this.#clockOf(record)
      clock.set(mode, now)
      return { record: { ...record, clock: clock.setting }, result: clock.state() }
    })
  }

  async advanceClock(sandbox: string, ms: number): Promise<ClockState | undefined> {
    return this.#update<ClockState | undefined>(sandbox, (record) => {
      const clock = this.#clockOf(record)
      if (!clock.advance(ms)) return { record, result: undefined }
      return { record: { ...record, clock: clock.setting }, result: clock.state() }
    })
  }

  /** Keeps the number of activations, since requests that are in progress can still count by the keys of old rules. */
  async reset(sandbox: string): Promise<void> {
    await this.#update(sandbox, ({ activations }) => ({
      record: activations === undefined ? {} : { activations },
      result: undefined,
    }))
  }

  #update<T>(
    sandbox: string,
    update: (record: SettingsRecord) => { readonly record: SettingsRecord; readonly result: T },
  ): Promise<T> {
    return this.#records.updateRecord(sandbox, (stored) => {
      const present: SettingsRecord = stored ?? {}
      const { record, result } = update(present)
      if (record === present || (stored === undefined && Object.keys(record).length === 0))
        return { record: stored, result }
      return { record: JSON.parse(JSON.stringify(record)), result }
    })
  }

  #clockOf({ clock }: SettingsRecord): Clock {
    const { now, frozenAt } = this.#initial
    return clock === undefined ? new Clock(now, frozenAt) : Clock.of(now, clock)
  }

  #parse(record: SettingsRecord): ParsedSettings {
    let parsed = this.#parsed.get(record)
    if (parsed === undefined) {
      const { seed = this.#initial.seed, rules = [] } = record
      const active = rules.map(({ source, key }) => this.#parseRule(source, key))
      parsed = { seed, rules: active, clock: this.#clockOf(record) }
      this.#parsed.set(record, parsed)
    }
    return parsed
  }
}

const toStored = ({ source, key }: ActiveRules[number]): StoredRule => ({ source, key })

/** Gives rules the next keys of the sandbox. */
function activate(sandbox: string, { activations = 0 }: SettingsRecord, rules: readonly Rule[]) {
  return { activations: activations + 1, added: activateRules(`${sandbox} ${activations + 1}`, rules) }
}
