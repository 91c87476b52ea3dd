import type { Json } from '../core/json.ts'
import { otherSchemes, redactJson } from '../redaction/redact.ts'
import { escapeJson, listTokenForms, minTokenLength } from '../redaction/redact-token.ts'
import { isSandboxName } from '../sandboxes/sandboxes.ts'

/** The most keys for which each record of a bundle is searched. */
const maxSecrets = 1000

/**
 * Replaces the secret API keys of a bundle by names: `bundle-caller-1`. Equal keys have equal names, so that a replay
 * has the rate windows of the run. A name is at least `minTokenLength` long, so a replay redacts it like the key.
 */
export class Callers {
  readonly #names = new Map<string, string>()
  #count = 0

  /** `publicKeys`: the keys of the bundled fixtures, which are no secrets and keep their texts. */
  constructor(publicKeys: readonly string[]) {
    for (const key of publicKeys) this.#names.set(key, key)
  }

  /** Lists at most 1,000 keys to redact in records, without public keys and keys too short to be redacted. */
  listSecrets(): readonly string[] {
    return [...this.#names]
      .filter(([key, name]) => key !== name && key.length >= minTokenLength)
      .slice(0, maxSecrets)
      .map(([key]) => key)
  }

  /** Returns the name of a key, for a new key a new name; a public key is its own name. */
  nameOf(key: string): string {
    let name = this.#names.get(key)
    if (name === undefined) {
      name = `bundle-caller-${++this.#count}`
      this.#names.set(key, name)
    }
    return name
  }

  /** Returns an `Authorization` header with the key's name for the key; its answer and its sandbox stay the same. */
  rename(authorization: string): string {
    const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(authorization) ?? []
    if (scheme.toLowerCase() === 'bearer') return `${scheme} ${this.#renameToken(rest.trim())}`.trim()
    if (scheme === '') return ''
    if (rest === '') return this.nameOf(scheme) // a key without a scheme
    // A refusal names such a scheme, so it stays.
    return otherSchemes.includes(scheme.toLowerCase())
      ? `${scheme} ${this.nameOf(rest)}`
      : `Unknown ${this.nameOf(authorization)}` // an unknown scheme may be the beginning of a key
  }

  #renameToken(token: string): string {
    const tilde = token.lastIndexOf('~')
    const key = tilde < 0 ? token : token.slice(0, tilde)
    const sandbox = tilde < 0 ? '' : token.slice(tilde + 1)
    // An invalid sandbox name after the tilde may be part of the key. `!` replaces it, and is as invalid.
    const suffix = tilde < 0 ? '' : `~${isSandboxName(sandbox) ? sandbox : '!'}`
    return `${key === '' ? '' : this.nameOf(key)}${suffix}`
  }
}

/** Returns a value without credentials: those of well-known names and forms, and the keys of the bundle's callers. */
export type RedactRecord = (value: Json) => Json

/** Creates a function that redacts stored records, rules and changes, which may contain the key of any request. */
export function createRedaction(callers: Callers): RedactRecord {
  const keys = callers.listSecrets().map((key) => ({ key, forms: listTokenForms(key).map(escapeJson) }))
  return (value) => {
    let clean = redactJson(value)
    // Most records contain no key.
    const text = JSON.stringify(clean)
    for (const { key, forms } of keys) if (forms.some((form) => text.includes(form))) clean = redactJson(clean, key)
    return clean
  }
}
