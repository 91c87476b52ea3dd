import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import { readJson } from '../core/strict-json.ts'
import type { Body } from '../exchange/body.ts'

/** The most bytes of an answer that are checked, and that a scenario can damage. A longer one passes unchecked. */
export const maxCheckedBytes = 8 * 1024 * 1024

/** The most members and items of a checked answer. */
export const maxCheckedValues = 1_000_000

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** Decodes the body of an answer by its `Content-Encoding`. The error is the end of the sentence "The body ...". */
export function decodeAnswerBody(bytes: Uint8Array, encoding = 'identity'): Result<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which the proxy cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxCheckedBytes }))
  } catch (error) {
    return failure(`cannot be decoded by its Content-Encoding "${name}": ${reasonOf(error)}`)
  }
}

/** Returns a body of bytes, with its value if it is JSON and else its text. */
export function toBody(bytes: Uint8Array, mediaType: string | undefined): Body {
  const read = readJson(bytes, maxCheckedValues)
  const value = read.ok ? read.value : Buffer.from(bytes).toString()
  return { value, mediaType: mediaType ?? 'application/octet-stream', bytes: () => bytes }
}
