import type { RecordedBody } from './entry.ts'

/** The most bytes that the journal stores of an answer's body. Request bodies are stored whole: queries look into them, and `--body-limit` bounds them. */
export const maxAnswerBodyBytes = 64 * 1024

/**
 * Returns the first `maxBytes` bytes of a body, with the size of the whole body. A body that fits and has its memory to itself is
 * not copied: the caller must not write to it afterwards. Any other is, since a view would hold the memory of the whole.
 */
export function captureBody(bytes: Uint8Array, maxBytes = Number.POSITIVE_INFINITY): RecordedBody {
  const { length } = bytes
  const isAlone = length <= maxBytes && length === bytes.buffer.byteLength
  return { bytes: isAlone ? bytes : new Uint8Array(bytes.subarray(0, maxBytes)), size: length }
}
