import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { readJson } from '../../base/core/strict-json.ts'
import { type Body, encodedBody } from '../../service/exchange/body.ts'
import type { RelayedBody } from '../../service/exchange/reply.ts'

/**
 * The most bytes of a response that are checked, and that a scenario can damage. With `maxCheckedValues` it bounds the
 * time for which other requests wait to less than 100 ms.
 */
export const maxCheckedBytes = 1024 * 1024

/** The most members and items of a response that are checked. */
export const maxCheckedValues = 25_000

/** The body of a response that passes, with a copy of its first `maxCheckedBytes` for the check and the journal. */
export class RecordingRelay implements RelayedBody {
  readonly mediaType: string | undefined
  readonly length: number | undefined
  size = 0
  /** True if the service broke the body off. */
  isBroken = false
  readonly #response: IncomingMessage
  readonly #recorded: Uint8Array[] = []
  #hasEnded = false

  constructor(response: IncomingMessage, mediaType: string | undefined, length: number | undefined) {
    this.#response = response
    this.mediaType = mediaType
    this.length = length
  }

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#response) {
        const left = Math.max(0, maxCheckedBytes - this.size)
        if (left > 0) this.#recorded.push(chunk.subarray(0, left))
        this.size += chunk.length
        yield chunk
      }
      this.#hasEnded = true
    } catch (error) {
      this.isBroken = true
      throw error
    }
  }

  /** True if the body passed to its end, and all of it is recorded. */
  get isWhole(): boolean {
    return this.#hasEnded && this.size <= maxCheckedBytes
  }

  recordedBytes(): Uint8Array {
    return Buffer.concat(this.#recorded)
  }

  /** Ends the connection, unless the body has passed. */
  cancel(): void {
    if (!this.#response.readableEnded) this.#response.destroy()
  }
}

/** Reads a body whole, unless the service breaks it off, or it is longer than `maxCheckedBytes`. */
export async function readWhole(response: IncomingMessage): Promise<Uint8Array | 'broken' | 'too-large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > maxCheckedBytes) return 'too-large'
      chunks.push(chunk)
    }
  } catch {
    return 'broken'
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

/** The error for a body that is longer than `maxCheckedBytes` when it is decoded. */
export const tooLong = 'is too long when it is decoded'

/** Decodes a body by its `Content-Encoding`. The error ends the sentence "The body ...". */
export function decodeBody(bytes: Uint8Array, encoding = 'identity'): Result<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which the proxy cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxCheckedBytes }))
  } catch (error) {
    if (error instanceof RangeError) return failure(tooLong) // beyond `maxOutputLength`
    return failure(`cannot be decoded by its Content-Encoding "${name}": ${reasonOf(error)}`)
  }
}

/** Returns a body of bytes, with its value if it is JSON and else its text; undefined for no bytes. */
export function toBody(bytes: Uint8Array, mediaType = 'application/octet-stream'): Body | undefined {
  if (bytes.length === 0) return undefined
  const read = readJson(bytes, maxCheckedValues)
  return encodedBody(bytes, mediaType, read.ok ? read.value : Buffer.from(bytes).toString())
}
