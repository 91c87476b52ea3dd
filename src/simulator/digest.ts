import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../core/json.ts'

/** Returns the digest of JSON, which does not depend on the order of members: `sha256:9f86d0...`. */
export function computeDigest(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}
