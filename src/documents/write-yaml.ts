import { stringify } from 'yaml'
import type { Json } from '../core/json.ts'

/** Writes a value as YAML, with the short lines that a reader expects. */
export function writeYaml(value: Json): string {
  return stringify(value, { lineWidth: 120, singleQuote: true })
}
