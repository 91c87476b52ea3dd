import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, success } from '../../base/core/result.ts'

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** The error for a body that is longer than the size when it is decoded. */
export const tooLong = 'is too long when it is decoded'

/** Decodes the body of a response by `Content-Encoding`, up to a size. The error ends the sentence "The body ...". */
export function decodeResponseBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Result<Uint8Array> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which the proxy cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    if (error instanceof RangeError) return failure(tooLong) // beyond `maxOutputLength`
    const reason = error instanceof Error ? error.message : String(error)
    return failure(`cannot be decoded by its Content-Encoding "${name}": ${reason}`)
  }
}
