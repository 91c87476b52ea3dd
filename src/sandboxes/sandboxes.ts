import { noRules, type RuleSet } from '../scenarios/rules.ts'
import { Clock } from './clock.ts'

/** A world of its own inside the process: everything that changes belongs to one. */
export interface Sandbox {
  readonly name: string
  /** Its analytics, identifiers and chance are derived from this. */
  seed: string
  readonly clock: Clock
  /** What is switched on for all its requests. */
  rules: RuleSet
  /** Requests that are being answered. A sandbox with any is not idle. */
  activeRequests: number
  /** Real time of the last use, epoch milliseconds. */
  usedAt: number
  /** Which use of all sandboxes that was. */
  lastUse: number
}

export interface SandboxDefaults {
  readonly seed: string
  /** Epoch milliseconds; undefined: the clock runs. */
  readonly frozenAt: number | undefined
  /** The machine's time, epoch milliseconds. */
  readonly now: () => number
  /** How many there may be; one more, and the one that is idle for longest goes. */
  readonly limit: number
  /** After so many milliseconds without a request a sandbox goes. */
  readonly idleMs: number
  /** Called with the name of each that goes, and why. */
  readonly onEvicted: (name: string, reason: 'limit' | 'idle') => void
}

/** The sandbox of requests that name none. It is never dropped. */
export const defaultSandbox = 'default'

export const sandboxNameRule =
  '1 to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit'

export function isSandboxName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

/** Every sandbox of the process, made on first use. */
export class Sandboxes {
  readonly #known = new Map<string, Sandbox>()
  readonly #defaults: SandboxDefaults
  #limit: number
  #uses = 0

  constructor(defaults: SandboxDefaults) {
    this.#defaults = defaults
    this.#limit = defaults.limit
  }

  /** Takes in what the last process kept. However many these are, none goes for another: the limit is for new ones. */
  adopt(names: readonly string[]): void {
    for (const name of names) if (!this.#known.has(name)) this.#known.set(name, this.#create(name))
    const withDefault = this.#known.size + (this.#known.has(defaultSandbox) ? 0 : 1) // it comes in any case
    this.#limit = Math.max(this.#limit, withDefault)
  }

  /** The sandbox of this name, which becomes the one used last. */
  use(name: string): Sandbox {
    const known = this.#known.get(name)
    if (!known) this.#makeRoom()
    const sandbox = known ?? this.#create(name)
    if (!known) this.#known.set(name, sandbox)
    sandbox.usedAt = this.#defaults.now()
    sandbox.lastUse = ++this.#uses
    return sandbox
  }

  /** A copy of the sandbox as `use` would give it; none is made, and none becomes the one used last. */
  peek(name: string): Sandbox {
    return { ...(this.#known.get(name) ?? this.#create(name)), activeRequests: 0 }
  }

  /** The one used longest ago first. Put in order only here, since every request uses one or two. */
  list(): readonly Sandbox[] {
    return [...this.#known.values()].sort((one, other) => one.lastUse - other.lastUse)
  }

  /** Back to how it was at start: clock, seed and rules. What the store holds of it is the store's. */
  reset(name: string): void {
    const sandbox = this.use(name)
    sandbox.seed = this.#defaults.seed
    sandbox.clock.reset()
    sandbox.rules = noRules
  }

  delete(name: string): boolean {
    return this.#known.delete(name)
  }

  #create(name: string): Sandbox {
    const { seed, now, frozenAt } = this.#defaults
    return {
      name,
      seed,
      clock: new Clock(now, frozenAt),
      rules: noRules,
      activeRequests: 0,
      usedAt: now(),
      lastUse: ++this.#uses,
    }
  }

  #makeRoom(): void {
    const { idleMs, now, onEvicted } = this.#defaults
    const idle = this.list().filter(
      ({ name, activeRequests }) => name !== defaultSandbox && activeRequests === 0,
    )
    const tooMany = this.#known.size + 1 - this.#limit
    for (const [index, { name, usedAt }] of idle.entries()) {
      const reason = now() - usedAt > idleMs ? 'idle' : 'limit'
      if (reason === 'limit' && index >= tooMany) break
      this.#known.delete(name)
      onEvicted(name, reason)
    }
  }
}
