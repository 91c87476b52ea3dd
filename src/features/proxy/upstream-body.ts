import type { IncomingMessage } from 'node:http'
import { readJson } from '../../base/core/strict-json.ts'
import { type Body, encodedBody, type RelayedBody } from '../../service/exchange/reply.ts'

/**
 * The maximum size of a response body that can be checked or damaged, in bytes. Checking a body within this limit and
 * `maxCheckedValues` delays other requests by less than 100 ms.
 */
export const maxCheckedBytes = 1024 * 1024

export const maxCheckedValues = 25_000

/** The body of a streamed response, with a copy of its first `maxCheckedBytes` bytes to check and record. */
export class RecordingRelay implements RelayedBody {
  readonly mediaType: string | undefined
  readonly length: number | undefined
  size = 0
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
        const capacity = Math.max(0, maxCheckedBytes - this.size)
        if (capacity > 0) this.#recorded.push(chunk.subarray(0, capacity))
        this.size += chunk.length
        yield chunk
      }
      this.#hasEnded = true
    } catch (error) {
      this.isBroken = true
      throw error
    }
  }

  /** True if the body was streamed to its end, and all of it is recorded. */
  get isWhole(): boolean {
    return this.#hasEnded && this.size <= maxCheckedBytes
  }

  recordedBytes(): Uint8Array {
    return Buffer.concat(this.#recorded)
  }

  /** Closes the connection to the real service, unless the body was read to its end. */
  cancel(): void {
    if (!this.#response.readableEnded) this.#response.destroy()
  }
}

export function toBody(bytes: Uint8Array, mediaType = 'application/octet-stream'): Body | undefined {
  if (bytes.length === 0) return undefined
  const read = readJson(bytes, maxCheckedValues)
  return encodedBody(bytes, mediaType, read.ok ? read.value : Buffer.from(bytes).toString())
}
