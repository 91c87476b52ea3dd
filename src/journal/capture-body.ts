import type { RecordedBody } from './entry.ts'

/** As much of an answer as is kept, bytes. Of a request all is: questions are asked of it, and the edge has bounded it. */
export const mostOfAnAnswer = 64 * 1024

/** A body for the journal, at most so much of it. Where that is all, the bytes themselves are kept and not a copy: nobody may write to them. */
export function captured(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): RecordedBody {
  const { length } = bytes
  // A part by itself, since a view of it would hold on to the whole.
  return { bytes: length <= most ? bytes : new Uint8Array(bytes.subarray(0, most)), size: length }
}
