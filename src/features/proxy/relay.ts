import type { IncomingMessage } from 'node:http'
import type { RelayedBody } from '../../service/exchange/reply.ts'

/** A body that passes, with a copy of its beginning for the check and the journal. */
export type RecordingRelay = ReturnType<typeof createRelay>

/** Creates the relay of a response's body, of which it records at most `maxBytes`. */
export function createRelay(
  response: IncomingMessage,
  { mediaType, length }: Pick<RelayedBody, 'mediaType' | 'length'>,
  maxBytes: number,
) {
  const recorded: Uint8Array[] = []
  let size = 0
  let recordedSize = 0
  let hasEnded = false
  let isBroken = false
  const recordChunk = (chunk: Buffer) => {
    size += chunk.length
    const part = chunk.subarray(0, maxBytes - recordedSize)
    if (part.length === 0) return
    recorded.push(part)
    recordedSize += part.length
  }
  return {
    mediaType,
    length,
    async *chunks(): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of response) {
          recordChunk(chunk)
          yield chunk
        }
        hasEnded = true
      } catch (error) {
        isBroken = true
        throw error
      }
    },
    /**
     * Returns the recorded bytes and the number of those that passed. `isWhole`: the body passed to its end, and all of
     * it is recorded. `isBroken`: the service broke it off.
     */
    copy: () => ({ bytes: Buffer.concat(recorded), size, isWhole: hasEnded && recordedSize === size, isBroken }),
    /** Ends the connection of a body that nobody reads any more. A body that has passed stays as it is. */
    cancel() {
      if (!response.readableEnded) response.destroy()
    },
  }
}

/** Reads a body whole, unless the service breaks it off, or it is longer than `maxBytes`, the most recorded. */
export async function readWhole(relay: RecordingRelay, maxBytes: number): Promise<Uint8Array | 'broken' | 'too-large'> {
  let size = 0
  try {
    for await (const chunk of relay.chunks()) {
      size += chunk.length
      if (size > maxBytes) return 'too-large'
    }
  } catch {
    return 'broken'
  }
  return relay.copy().bytes
}
