import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../core/json.ts'

/** Returns a digest of a contract's document, equal for documents with the same content: `sha256:9f86d0...`. */
export function computeContractDigest(document: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`
}
