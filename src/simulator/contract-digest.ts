import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../core/json.ts'

/** Returns the digest of a document, which does not depend on the order of members or on comments: `sha256:9f86d0...`. */
export function computeContractDigest(document: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`
}
