import { createReadStream } from 'node:fs'

const LINE_BREAK = 0x0a

/** A line of a file, without its line break. */
export interface Line {
  readonly bytes: Buffer
  /** The position of the first byte in the file. */
  readonly from: number
  /** Is false if the file ends without a line break. */
  readonly isComplete: boolean
}

/** Calls `visit` for each line of a file, of which one megabyte at a time is read. */
export async function visitLines(path: string, visit: (line: Line) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let from = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const piece: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let end = piece.indexOf(LINE_BREAK, rest.length); end !== -1; end = piece.indexOf(LINE_BREAK, at)) {
      visit({ bytes: piece.subarray(at, end), from: from + at, isComplete: true })
      at = end + 1
    }
    rest = piece.subarray(at)
    from += at
  }
  if (rest.length > 0) visit({ bytes: rest, from, isComplete: false })
}
