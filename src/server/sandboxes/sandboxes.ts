/** The registry of sandboxes, and a sandbox's clock. `settings.ts` has the port of their seed, rules and clock. */
import type { SandboxSettingsStore } from './settings.ts'

/** The milliseconds without a use after which a sandbox is evicted, as soon as another sandbox is created: a day. */
const maxIdleMs = 24 * 60 * 60 * 1000

/** A sandbox of this process: everything that changes belongs to a sandbox, and sandboxes do not affect each other. */
export interface Sandbox {
  readonly name: string
  /** The number of requests in progress; above 0 the sandbox is not evicted. */
  activeRequests: number
  /** The machine's time of the last use, epoch milliseconds. */
  usedAt: number
  /** The ordinal of the last change by the control plane among those of all sandboxes; 0: none. */
  revision: number
}

/** The bounds of the registry. */
interface SandboxLimits {
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
  /** The largest number of sandboxes; a further sandbox evicts the least recently used one without active requests. */
  readonly limit: number
  /** Called for each evicted sandbox. */
  readonly onEvicted: (name: string, reason: 'limit' | 'idle') => void
}

/** The sandbox of requests that name none. It is never evicted. */
export const defaultSandbox = 'default'

export const sandboxNameRule = '1 to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit'

export function isSandboxName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

/** All sandboxes of the process; each is created on its first use. */
export class Sandboxes {
  /** The sandboxes in the order of their last use. */
  readonly #known = new Map<string, Sandbox>()
  /** The last one of `#known`. It is not deleted and set again: V8 would create new tables for a series of requests. */
  #latest: Sandbox | undefined
  readonly #limits: SandboxLimits
  readonly settings: SandboxSettingsStore
  #limit: number
  #changes = 0

  constructor(settings: SandboxSettingsStore, limits: SandboxLimits) {
    this.settings = settings
    this.#limits = limits
    this.#limit = limits.limit
  }

  /** Adds the sandboxes that the state holds, and raises the limit to their number, so that none evicts another. */
  adopt(names: readonly string[]): void {
    this.#latest = undefined
    for (const name of names) if (!this.#known.has(name)) this.#known.set(name, this.#create(name))
    const withDefault = this.#known.size + (this.#known.has(defaultSandbox) ? 0 : 1)
    this.#limit = Math.max(this.#limit, withDefault)
  }

  /** Returns the sandbox of this name, created if necessary, and marks it as used. */
  use(name: string): Sandbox {
    const known = this.#known.get(name)
    if (!known) this.#evict()
    const sandbox = known ?? this.#create(name)
    if (sandbox !== this.#latest) {
      this.#known.delete(name)
      this.#known.set(name, sandbox)
      this.#latest = sandbox
    }
    sandbox.usedAt = this.#limits.now()
    return sandbox
  }

  /** Gives the sandbox a new revision, if it exists. */
  markChanged(name: string): void {
    const known = this.#known.get(name)
    if (known) known.revision = ++this.#changes
  }

  /** Returns a copy of the sandbox that `use` would return, without creating it or marking it as used. */
  peek(name: string): Sandbox {
    return { ...(this.#known.get(name) ?? this.#create(name)), activeRequests: 0 }
  }

  /** Lists all sandboxes, the least recently used first. */
  list(): readonly Sandbox[] {
    return [...this.#known.values()]
  }

  has(name: string): boolean {
    return this.#known.has(name)
  }

  delete(name: string): boolean {
    return this.#known.delete(name)
  }

  #create(name: string): Sandbox {
    return { name, activeRequests: 0, usedAt: this.#limits.now(), revision: 0 }
  }

  /** Evicts all idle sandboxes, and then as many others as the limit demands, to make room for one more. */
  #evict(): void {
    const { now, onEvicted } = this.#limits
    for (const { name, usedAt, activeRequests } of this.#known.values()) {
      if (name === defaultSandbox || activeRequests > 0) continue
      const reason = now() - usedAt > maxIdleMs ? 'idle' : 'limit'
      if (reason === 'limit' && this.#known.size < this.#limit) break
      this.#known.delete(name)
      onEvicted(name, reason)
    }
  }
}
