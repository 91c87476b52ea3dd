/** `server/sandboxes/`: the registry of sandboxes. `settings.ts` stores each sandbox's seed, rules and clock. */
import querystring from 'node:querystring'
import { failure, type Result, success } from '../../base/core/result.ts'
import { cutText } from '../../base/core/text.ts'
import type { SandboxSettingsStore } from './settings.ts'

/** When a sandbox is created, every sandbox that has been idle for longer than this (a day) is evicted. */
const maxIdleMs = 24 * 60 * 60 * 1000

/** A sandbox in this process. Each sandbox has its own data and settings. */
export interface Sandbox {
  readonly name: string
  /** The number of requests in progress. A sandbox with requests in progress is not evicted. */
  activeRequests: number
  /** When the sandbox was last used, in epoch milliseconds on the machine's clock. */
  usedAt: number
  /** The sequence number, across all sandboxes, of the last change through the control plane; 0 if unchanged. */
  revision: number
}

interface EvictionOptions {
  readonly now: () => number
  /** The maximum number of sandboxes. Beyond it, the least recently used sandbox without active requests is evicted. */
  readonly limit: number
  readonly onEvicted: (name: string, reason: 'limit' | 'idle') => void
}

/** The sandbox for requests that do not name a sandbox. It is never evicted. */
export const defaultSandbox = 'default'

export const sandboxNameRule = '1 to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit'

export function isSandboxName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

export class Sandboxes {
  readonly #known = new Map<string, Sandbox>()
  /** The last sandbox in `#known`. `use` does not reinsert it, since repeated insertions make V8 rebuild the map. */
  #latest: Sandbox | undefined
  readonly #options: EvictionOptions
  readonly settings: SandboxSettingsStore
  #limit: number
  #changes = 0

  constructor(settings: SandboxSettingsStore, options: EvictionOptions) {
    this.settings = settings
    this.#options = options
    this.#limit = options.limit
  }

  /** Adds the sandboxes found in the state. Raises the limit if necessary, so that they do not evict each other. */
  adopt(names: readonly string[]): void {
    this.#latest = undefined
    for (const name of names) if (!this.#known.has(name)) this.#known.set(name, this.#create(name))
    const sizeWithDefault = this.#known.size + (this.#known.has(defaultSandbox) ? 0 : 1)
    this.#limit = Math.max(this.#limit, sizeWithDefault)
  }

  use(name: string): Sandbox {
    const known = this.#known.get(name)
    if (!known) this.#evict()
    const sandbox = known ?? this.#create(name)
    if (sandbox !== this.#latest) {
      this.#known.delete(name)
      this.#known.set(name, sandbox)
      this.#latest = sandbox
    }
    sandbox.usedAt = this.#options.now()
    return sandbox
  }

  markChanged(name: string): void {
    const known = this.#known.get(name)
    if (known) known.revision = ++this.#changes
  }

  /** Returns a copy of the sandbox that `use` would return, without creating it or marking it as used. */
  peek(name: string): Sandbox {
    return { ...(this.#known.get(name) ?? this.#create(name)), activeRequests: 0 }
  }

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
    return { name, activeRequests: 0, usedAt: this.#options.now(), revision: 0 }
  }

  /** Makes room for a new sandbox: evicts all idle sandboxes, and then as many others as the limit requires. */
  #evict(): void {
    const { now, onEvicted } = this.#options
    for (const { name, usedAt, activeRequests } of this.#known.values()) {
      if (name === defaultSandbox || activeRequests > 0) continue
      const reason = now() - usedAt > maxIdleMs ? 'idle' : 'limit'
      if (reason === 'limit' && this.#known.size < this.#limit) break
      this.#known.delete(name)
      onEvicted(name, reason)
    }
  }
}

/** The member of a `baggage` header that names the sandbox, and the prefix of the simulator's members. */
const sandboxMember = 'convsim.sandbox'
const prefix = 'convsim.'

/** W3C Baggage (3.3.2) requires systems to propagate headers up to these limits. A header beyond them is ignored. */
const maxLength = 8192
const maxMembers = 64

const none = success(undefined)

/**
 * Returns the sandbox named by the `convsim.sandbox` member of a `baggage` header (W3C Baggage), or undefined. The
 * error is an advice message that says why the header is ignored. Members for other tools are not checked.
 */
export function readSandboxOfBaggage(header: string | undefined): Result<string | undefined> {
  if (header === undefined || !header.includes(prefix)) return none // most requests
  const members = header.split(',')
  if (header.length > maxLength || members.length > maxMembers)
    return failure(`has more than ${maxLength} characters or ${maxMembers} members, and is ignored`)
  const ownMembers = members.map(parseMember).filter(({ key }) => key.startsWith(prefix))
  const unknown = ownMembers.find(({ key }) => key !== sandboxMember)
  if (unknown) return failure(`has the unknown member "${cutText(unknown.key)}" and is ignored; use ${sandboxMember}`)
  const names = new Set(ownMembers.map(({ value }) => querystring.unescape(value)))
  const [name] = names
  if (names.size === 0 || (names.size === 1 && isSandboxName(`${name}`))) return success(name)
  return failure(
    `has the member ${sandboxMember}=${cutText([...names].join(', '))}, which does not name exactly one sandbox, ` +
      `and is ignored; a name must be ${sandboxNameRule}`,
  )
}

/** Parses a member (`key = value ; property ; property=value`, with optional whitespace) and drops its properties. */
function parseMember(member: string): { readonly key: string; readonly value: string } {
  const [pair = ''] = member.split(';', 1)
  const [key = '', ...rest] = pair.split('=')
  return { key: key.trim(), value: rest.join('=').trim() }
}
