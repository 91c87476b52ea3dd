import { randomUUID } from 'node:crypto'
import { MAX_NOW } from '../../base/core/instant.ts'
import { type ActiveRules, activateRules, maxRules, type Rule } from '../../service/scenarios/rules.ts'

export const clockModes = ['real', 'frozen', 'shifted'] as const
export type ClockMode = (typeof clockModes)[number]

/** The state of a clock. `real` is the machine's clock, `frozen` stays at one instant, and `shifted` has an offset. */
export interface ClockState {
  readonly mode: ClockMode
  readonly now: number
}

export interface ClockSetting {
  readonly mode: ClockMode
  readonly frozen: number
  /** The offset of a shifted clock from the machine's clock, in milliseconds. */
  readonly shift: number
}

export interface SandboxSettings {
  /** The seed for the sandbox's analytics, identifiers and random decisions. */
  readonly seed: string
  readonly rules: ActiveRules
  readonly clock: ClockState
}

/** The settings that were changed in a sandbox. An absent setting has its initial value. */
export interface ChangedSettings {
  readonly seed?: string
  readonly rules?: ActiveRules
  readonly clock?: ClockSetting
}

/** The changed settings of all sandboxes, stored in this process or shared by all replicas. */
export interface SettingsRecords {
  read(sandbox: string): Promise<ChangedSettings>
  /** Returns the seed and the clock as last read. With shared settings, both are absent except in `default`. */
  lastRead(sandbox: string): Pick<ChangedSettings, 'seed' | 'clock'>
  /** Updates the settings atomically. `change` returns the new settings (or `current` for no change) and the result. */
  update<T>(sandbox: string, change: (current: ChangedSettings) => readonly [ChangedSettings, T]): Promise<T>
  /**
   * Replaces each sandbox's rules with the result of `change`. If replicas share the rules, `change` is not called;
   * each replica parses the rules again when it next reads them.
   */
  changeRules(change: ChangeRules): Promise<void>
}

type ChangeRules = (rules: ActiveRules, sandbox: string) => ActiveRules

interface InitialSettings {
  readonly seed: string
  readonly clock: ClockSetting
  readonly now: () => number
}

/** Where rules are added: before or after the sandbox's existing rules. */
export type RulePosition = 'first' | 'last'

/** The settings of all sandboxes. Every change is atomic, even if replicas share the settings. */
export class SandboxSettingsStore {
  readonly #initial: InitialSettings
  readonly #records: SettingsRecords

  constructor(initial: InitialSettings, records: SettingsRecords = new MemoryRecords()) {
    this.#initial = initial
    this.#records = records
  }

  async read(sandbox: string): Promise<SandboxSettings> {
    return this.#complete(await this.#records.read(sandbox))
  }

  /** Returns the seed and the clock as this process last read them, or else the initial ones. */
  lastRead(sandbox: string): Pick<SandboxSettings, 'seed' | 'clock'> {
    return this.#complete(this.#records.lastRead(sandbox))
  }

  #complete({ seed = this.#initial.seed, rules = [], clock = this.#initial.clock }: ChangedSettings): SandboxSettings {
    return { seed, rules, clock: toClockState(clock, this.#initial.now()) }
  }

  setSeed(sandbox: string, seed: string): Promise<void> {
    return this.#records.update(sandbox, (current) => [{ ...current, seed }, undefined])
  }

  setRules(sandbox: string, rules: readonly Rule[]): Promise<ActiveRules> {
    const active = activateRules(randomUUID(), rules)
    return this.#records.update(sandbox, (current) => [{ ...current, rules: active }, active])
  }

  /** Adds rules; existing rules keep their counts. Beyond `maxRules`, changes nothing and returns undefined. */
  addRules(sandbox: string, added: readonly Rule[], position: RulePosition): Promise<ActiveRules | undefined> {
    const active = activateRules(randomUUID(), added)
    return this.#records.update<ActiveRules | undefined>(sandbox, (current) => {
      const { rules: known = [] } = current
      if (known.length + active.length > maxRules) return [current, undefined]
      const rules = position === 'first' ? [...active, ...known] : [...known, ...active]
      return [{ ...current, rules }, rules]
    })
  }

  changeRules(change: ChangeRules): Promise<void> {
    return this.#records.changeRules(change)
  }

  /** Sets the clock. A frozen or shifted clock begins at `now`, which is by default the clock's current time. */
  setClock(sandbox: string, mode: ClockMode, now?: number): Promise<ClockState> {
    const machineTime = this.#initial.now()
    return this.#records.update(sandbox, (current) => {
      const currentTime = toClockState(current.clock ?? this.#initial.clock, machineTime).now
      const clock = createClockSetting(mode, now ?? currentTime, machineTime)
      return [{ ...current, clock }, toClockState(clock, machineTime)]
    })
  }

  /** Advances the clock; a real clock becomes shifted. Beyond the year 9999, changes nothing and returns undefined. */
  advanceClock(sandbox: string, ms: number): Promise<ClockState | undefined> {
    const machineTime = this.#initial.now()
    return this.#records.update<ClockState | undefined>(sandbox, (current) => {
      const { mode, now } = toClockState(current.clock ?? this.#initial.clock, machineTime)
      if (now + ms > MAX_NOW) return [current, undefined]
      const clock = createClockSetting(mode === 'frozen' ? 'frozen' : 'shifted', now + ms, machineTime)
      return [{ ...current, clock }, toClockState(clock, machineTime)]
    })
  }

  /** Restores the initial settings. Requests in progress may still be counted under the keys of the old rules. */
  reset(sandbox: string): Promise<void> {
    return this.#records.update(sandbox, () => [{}, undefined])
  }
}

const unchanged: ChangedSettings = {}

class MemoryRecords implements SettingsRecords {
  readonly #changed = new Map<string, ChangedSettings>()

  async read(sandbox: string): Promise<ChangedSettings> {
    return this.lastRead(sandbox)
  }

  lastRead(sandbox: string): ChangedSettings {
    return this.#changed.get(sandbox) ?? unchanged
  }

  async update<T>(sandbox: string, change: (current: ChangedSettings) => readonly [ChangedSettings, T]): Promise<T> {
    const [next, result] = change(this.lastRead(sandbox))
    if (Object.keys(next).length === 0) this.#changed.delete(sandbox)
    else this.#changed.set(sandbox, next)
    return result
  }

  async changeRules(change: ChangeRules): Promise<void> {
    for (const [sandbox, settings] of this.#changed)
      if (settings.rules?.length) this.#changed.set(sandbox, { ...settings, rules: change(settings.rules, sandbox) })
  }
}

export function createClockSetting(mode: ClockMode, now: number, machineTime: number): ClockSetting {
  return { mode, frozen: now, shift: mode === 'shifted' ? now - machineTime : 0 }
}

function toClockState({ mode, frozen, shift }: ClockSetting, machineTime: number): ClockState {
  return { mode, now: Math.min(MAX_NOW, mode === 'frozen' ? frozen : machineTime + shift) }
}
