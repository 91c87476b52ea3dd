import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'

/** Reads a body whole; undefined if it is longer than `maxBytes`. It rejects if the service breaks the body off. */
export async function readWhole(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decoders = new Map<string, Decode>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** The error for a body that is longer than `maxBytes` when it is decoded. */
export const tooLong = 'is too long when it is decoded'

/** Decodes a body by its `Content-Encoding`. The error ends the sentence "The body ...". */
export function decodeBody(bytes: Uint8Array, encoding = 'identity', maxBytes: number): Result<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which convsim cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    if (error instanceof RangeError) return failure(tooLong) // beyond `maxOutputLength`
    return failure(`cannot be decoded by its Content-Encoding "${name}": ${reasonOf(error)}`)
  }
}
