import type { Json } from '../core/json.ts'
import { redactJson } from '../redaction/redact.ts'
import type { Callers } from './callers.ts'

/** Returns a value without credentials: those of well-known names and forms, and the keys of all callers of the bundle. */
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
