import { type ActiveRules, activateRules, maxRules, type Rule } from '../../service/scenarios/rules.ts'
import { Clock, type ClockMode, type ClockState } from './clock.ts'

/** The settings of a sandbox: they decide every request to it. */
export interface SandboxSettings {
  /** The seed of its analytics, identifiers and chance. */
  readonly seed: string
  /** The rules for all its requests. */
  readonly rules: ActiveRules
  /** The mode and the present time of its clock. */
  readonly clock: ClockState
}

/**
 * The port of sandboxes' settings. Every method is one atomic step, for which a shared store needs one round trip. A
 * sandbox whose settings were never changed has those of the start.
 */
export interface SandboxSettingsStore {
  read(sandbox: string): Promise<SandboxSettings>
  /**
   * Returns the settings as this process has read them last, without a round trip. A shared store may remember those of
   * the default sandbox alone; others are those of the start.
   */
  lastRead(sandbox: string): SandboxSettings
  setSeed(sandbox: string, seed: string): Promise<void>
  /** Replaces the rules. The new ones count from 0. */
  setRules(sandbox: string, rules: readonly Rule[]): Promise<ActiveRules>
  /** Adds rules before or behind those of the sandbox, whose counts stay. Returns undefined if there were too many. */
  addRules(sandbox: string, added: readonly Rule[], position: RulePosition): Promise<ActiveRules | undefined>
  /** Replaces the rules of every sandbox that has any by what `change` returns for them. */
  changeRules(change: (rules: ActiveRules, sandbox: string) => ActiveRules): Promise<void>
  /** Sets the clock. `frozen` and `shifted` begin at `now`, by default the time that the clock shows. */
  setClock(sandbox: string, mode: ClockMode, now?: number): Promise<ClockState>
  /** Advances the clock; a real clock becomes shifted. Returns undefined, without a change, beyond the year 9999. */
  advanceClock(sandbox: string, ms: number): Promise<ClockState | undefined>
  /** Restores the settings of the start. */
  reset(sandbox: string): Promise<void>
}

/** The place of added rules among those of the sandbox: before all, or behind all. */
export type RulePosition = 'first' | 'last'

/** Returns all rules in their order. */
export function joinRules<T>(present: readonly T[], added: readonly T[], position: RulePosition): readonly T[] {
  return position === 'first' ? [...added, ...present] : [...present, ...added]
}

/** The settings with which every sandbox starts. */
export interface InitialSettings {
  readonly seed: string
  /** The instant at which clocks start frozen, epoch milliseconds; undefined: they start real. */
  readonly frozenAt: number | undefined
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
}

interface MutableSettings {
  seed: string
  rules: ActiveRules
  readonly clock: Clock
}

/** Holds the settings of sandboxes in memory; they are lost when the process ends. */
export class MemorySandboxSettings implements SandboxSettingsStore {
  readonly #initial: InitialSettings
  /** The settings of all sandboxes that were never changed. */
  readonly #unchanged: MutableSettings
  readonly #changed = new Map<string, MutableSettings>()
  #activations = 0

  constructor(initial: InitialSettings) {
    this.#initial = initial
    this.#unchanged = this.#create()
  }

  async read(sandbox: string): Promise<SandboxSettings> {
    return this.lastRead(sandbox)
  }

  lastRead(sandbox: string): SandboxSettings {
    const { seed, rules, clock } = this.#changed.get(sandbox) ?? this.#unchanged
    return { seed, rules, clock: clock.state() }
  }

  async setSeed(sandbox: string, seed: string): Promise<void> {
    this.#settingsOf(sandbox).seed = seed
  }

  async setRules(sandbox: string, rules: readonly Rule[]): Promise<ActiveRules> {
    const settings = this.#settingsOf(sandbox)
    settings.rules = this.#activate(sandbox, rules)
    return settings.rules
  }

  async addRules(sandbox: string, added: readonly Rule[], position: RulePosition): Promise<ActiveRules | undefined> {
    const settings = this.#settingsOf(sandbox)
    const { rules } = settings
    if (rules.length + added.length > maxRules) return undefined
    settings.rules = joinRules(rules, this.#activate(sandbox, added), position)
    return settings.rules
  }

  async changeRules(change: (rules: ActiveRules, sandbox: string) => ActiveRules): Promise<void> {
    for (const [sandbox, settings] of this.#changed)
      if (settings.rules.length > 0) settings.rules = change(settings.rules, sandbox)
  }

  #activate(sandbox: string, rules: readonly Rule[]): ActiveRules {
    this.#activations += 1
    return activateRules(`${sandbox} ${this.#activations}`, rules)
  }

  async setClock(sandbox: string, mode: ClockMode, now?: number): Promise<ClockState> {
    const { clock } = this.#settingsOf(sandbox)
    clock.set(mode, now)
    return clock.state()
  }

  async advanceClock(sandbox: string, ms: number): Promise<ClockState | undefined> {
    const { clock } = this.#settingsOf(sandbox)
    return clock.advance(ms) ? clock.state() : undefined
  }

  async reset(sandbox: string): Promise<void> {
    this.#changed.delete(sandbox)
  }

  #settingsOf(sandbox: string): MutableSettings {
    const known = this.#changed.get(sandbox)
    if (known) return known
    const created = this.#create()
    this.#changed.set(sandbox, created)
    return created
  }

  #create(): MutableSettings {
    const { seed, now, frozenAt } = this.#initial
    return { seed, rules: [], clock: new Clock(now, frozenAt) }
  }
}
