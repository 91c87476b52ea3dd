import { hash } from 'node:crypto'
import type { RecordedBody } from './entry.ts'

/** The most bytes stored of an answer's body. Request bodies are stored whole, since queries look into them. */
export const maxAnswerBodyBytes = 64 * 1024

/**
 * Returns the first `maxBytes` bytes of a body, with the size of the whole body. A body that fits is not copied: the
 * caller must not write to it afterwards. Where the body is a view of Node's buffer pool, the pool holds the bodies of
 * its neighbours in the journal.
 */
export function captureBody(bytes: Uint8Array, maxBytes = Number.POSITIVE_INFINITY): RecordedBody {
  const { length } = bytes
  if (length <= maxBytes) return { bytes, size: length }
  // A copy of a part, since a view would hold the memory of the whole body.
  return {
    bytes: new Uint8Array(bytes.subarray(0, maxBytes)),
    size: length,
    digest: computeBodyDigest(bytes),
  }
}

/** The digests by the bytes of the body, which the answers of a cache share. */
const known = new WeakMap<Uint8Array, string>()

/** Returns the SHA-256 of a body, in hex. It is computed once for the bytes, which never change. */
export function computeBodyDigest(bytes: Uint8Array): string {
  let digest = known.get(bytes)
  if (digest === undefined) {
    digest = hash('sha256', bytes, 'hex')
    known.set(bytes, digest)
  }
  return digest
}
