import { hash } from 'node:crypto'

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
