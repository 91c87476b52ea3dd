/**
 * The mark in a state file says if a log was begun beside it, so that a start notices if the log was deleted. The mark
 * is overwritten in place. It stands in the first 256 bytes, so within one sector (512 bytes), which a disk writes as a
 * whole or not at all. The checksum of the file is computed with the mark `none`.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** The mark of a state file, `open` if its log was begun. No flip of a bit makes one of the other. */
export type LogMark = 'none' | 'open'

/** The text before a mark. The search takes the first one, which is the fourth line of the file. */
const BEFORE = '\n  "log": "'

/** The number of bytes at the beginning of a state file that contain its mark. */
const HEAD_BYTES = 256

/** Returns the beginning of a state file with the mark that its checksum is computed with. */
export function withoutMark(head: Buffer): Buffer {
  const text = head.toString('latin1', 0, HEAD_BYTES)
  const unmarked = text.replace(`${BEFORE}open"`, `${BEFORE}none"`)
  return Buffer.concat([Buffer.from(unmarked, 'latin1'), head.subarray(HEAD_BYTES)])
}

/** Overwrites the mark of a state file. A failure is ignored: only a later deletion of the log would go unnoticed. */
export function writeMark(path: string, mark: LogMark): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      readSync(fd, head, 0, HEAD_BYTES, 0)
      const at = head.indexOf(BEFORE)
      if (at !== -1) writeSync(fd, mark, at + BEFORE.length)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Ignored, see above.
  }
}
