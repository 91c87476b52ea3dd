import type { Json } from '../core/json.ts'
import { redactJson } from '../redaction/redact.ts'
import { minTokenLength } from '../redaction/redact-token.ts'
import { isSandboxName } from '../sandboxes/sandboxes.ts'

/** The schemes whose name a refusal quotes. */
const otherSchemes = ['apikey', 'basic', 'digest', 'negotiate', 'token']

/** The most keys that are looked for in each record of a bundle. */
const maxSecrets = 1000

/**
 * Gives the keys of a bundle names in place of their texts, which are secrets: `bundle-caller-1`. Equal keys have equal
 * names, so that a replay has the rate windows of the run. Names are long enough to be redacted as the keys were.
 */
export class Callers {
  readonly #names = new Map<string, string>()
  #count = 0

  /** `publicKeys`: keys that are no secrets, since everybody has them with convsim. */
  constructor(publicKeys: readonly string[]) {
    for (const key of publicKeys) this.#names.set(key, key)
  }

  /** Lists at most 1,000 keys to redact in records: none that are public, or too short to be redacted. */
  listSecrets(): readonly string[] {
    return [...this.#names]
      .filter(([key, name]) => key !== name && key.length >= minTokenLength)
      .slice(0, maxSecrets)
      .map(([key]) => key)
  }

  /** Returns the name of a key. */
  nameOf(key: string): string {
    let name = this.#names.get(key)
    if (name === undefined) {
      name = `bundle-caller-${++this.#count}`
      this.#names.set(key, name)
    }
    return name
  }

  /** Returns a header `Authorization` that is answered like the given one, without its key but with the sandbox. */
  rename(authorization: string): string {
    const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(authorization) ?? []
    if (scheme.toLowerCase() === 'bearer') return `${scheme} ${this.#renameToken(rest.trim())}`.trim()
    if (scheme === '') return ''
    if (rest === '') return this.nameOf(scheme) // a key without a scheme
    return otherSchemes.includes(scheme.toLowerCase())
      ? `${scheme} ${this.nameOf(rest)}`
      : `Unknown ${this.nameOf(authorization)}` // an unknown scheme may be the beginning of a key
  }

  #renameToken(token: string): string {
    const tilde = token.lastIndexOf('~')
    const key = tilde < 0 ? token : token.slice(0, tilde)
    const sandbox = tilde < 0 ? '' : token.slice(tilde + 1)
    // The text behind the tilde may be part of the key where it names no sandbox.
    const suffix = tilde < 0 ? '' : `~${isSandboxName(sandbox) ? sandbox : '!'}`
    return `${key === '' ? '' : this.nameOf(key)}${suffix}`
  }
}

/** Returns a value without credentials: those of well-known names and forms, and all callers' keys of the bundle. */
export type RedactRecord = (value: Json) => Json

/** Creates the redaction of stored records, rules and changes, which may contain the key of any request. */
export function createRedaction(callers: Callers): RedactRecord {
  const keys = callers.listSecrets()
  return (value) => {
    let clean = redactJson(value)
    // Most records contain no key. JSON escapes a quote, so that a key with one is looked for in any case.
    const text = JSON.stringify(clean)
    for (const key of keys) if (text.includes(key) || /["\\]/.test(key)) clean = redactJson(clean, key)
    return clean
  }
}
