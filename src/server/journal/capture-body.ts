import { fromLatin1, toLatin1 } from '../../base/core/bytes.ts'
import type { RecordedBody } from './entry.ts'

/** The most bytes stored of a response's body. Request bodies are stored whole, since queries look into them. */
export const maxResponseBodyBytes = 64 * 1024

/** Returns the first `maxBytes` bytes of a body, with the size of the whole body. */
export function captureBody(latin1: string, maxBytes = Number.POSITIVE_INFINITY): RecordedBody {
  const { length } = latin1
  if (length <= maxBytes) return { latin1, size: length }
  // A copy of a part, since a slice would hold the memory of the whole body.
  const part = toLatin1(fromLatin1(latin1.slice(0, maxBytes)))
  return { latin1: part, size: length }
}

/** Returns how many bytes of a body are stored. */
export function storedBytes({ latin1 }: RecordedBody): number {
  return latin1?.length ?? 0
}

/** Returns true where the whole body is stored: a value that is absent from it was not sent. */
export function isComplete({ latin1, size, isWhole }: RecordedBody): boolean {
  return latin1 === undefined ? size === 0 : (isWhole ?? latin1.length === size)
}
