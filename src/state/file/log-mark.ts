/**
 * The mark in a state file names the newest log file that was begun, so that a start notices if that file was deleted. It is
 * overwritten in place. It stands in the first 256 bytes, so within one sector (512 bytes), which a disk writes as a whole or not at all.
 * The checksum of the file is computed with the mark of no log file (`NO_LOG`), so the mark has a checksum of its own.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { formatChecksum } from './checksum.ts'

const DIGITS = 8

/** The text before a mark. The search takes the first one, which is the third line of the file. */
const BEFORE = '\n  "log": "'

/** The bytes at the beginning of a state file that contain its mark. */
const HEAD_BYTES = 256

/** Returns the mark of a log file by its generation, with its checksum: `00000001-8a4b2c3d`. 0: no log file was begun. */
function formatMark(generation: number): string {
  const digits = String(generation).padStart(DIGITS, '0')
  return `${digits}-${formatChecksum(crc32(digits))}`
}

/** The mark that every state file is written with. */
export const NO_LOG = formatMark(0)

/** Returns the generation that a mark names. Undefined: the mark is damaged. */
export function parseMark(mark: string): number | undefined {
  const generation = Number(mark.slice(0, DIGITS))
  return mark === formatMark(generation) ? generation : undefined
}

/** Returns the position of the mark. Undefined: there is none, as in a file of an earlier version, or it is damaged. */
function findMark(head: Buffer): number | undefined {
  const at = head.subarray(0, HEAD_BYTES).indexOf(BEFORE) + BEFORE.length
  const isFound =
    at >= BEFORE.length && parseMark(head.toString('latin1', at, at + NO_LOG.length)) !== undefined
  return isFound ? at : undefined
}

/** Returns the beginning of a state file with the mark that its checksum is computed with. */
export function withoutMark(head: Buffer): Buffer {
  const at = findMark(head)
  if (at === undefined) return head
  return Buffer.concat([head.subarray(0, at), Buffer.from(NO_LOG), head.subarray(at + NO_LOG.length)])
}

/**
 * Overwrites the mark of a state file. A failure is ignored, and so is a file without a mark: what was acknowledged is in the log,
 * and a start only cannot tell that the log was deleted.
 */
export function markLog(path: string, generation: number): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      readSync(fd, head, 0, HEAD_BYTES, 0)
      const at = findMark(head)
      const mark = formatMark(generation)
      if (at !== undefined && head.toString('latin1', at, at + mark.length) !== mark) writeSync(fd, mark, at)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Ignored, see above.
  }
}
