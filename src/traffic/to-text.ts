import type { Json } from '../core/json.ts'

/** Returns the text of a member that should be a text; a number is one, too, and anything else is the empty text. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
