/** A world of its own inside the process: everything that changes belongs to one. */
export interface Sandbox {
  readonly name: string
  /** Its analytics, identifiers and chance are derived from this. */
  readonly seed: string
  /** Its time, epoch milliseconds. */
  now(): number
}

export interface SandboxDefaults {
  readonly seed: string
  readonly now: () => number
}

/** The sandbox of requests that name none. */
export const defaultSandbox = 'default'

export const sandboxNameRule =
  '1 to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit'

export function isSandboxName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

/** Every sandbox of the process, made on first use. */
export interface Sandboxes {
  use(name: string): Sandbox
}

export function createSandboxes(defaults: SandboxDefaults): Sandboxes {
  const known = new Map<string, Sandbox>()
  return {
    use(name) {
      const sandbox = known.get(name) ?? { name, seed: defaults.seed, now: defaults.now }
      known.set(name, sandbox)
      return sandbox
    },
  }
}
