import { createReadStream } from 'node:fs'

const LINE_BREAK = 0x0a

/** A line of a file, without its line break. */
export interface Line {
  readonly bytes: Buffer
  /** The position of the first byte in the file. */
  readonly from: number
  /** False: the file ends without a line break. */
  readonly isComplete: boolean
}

/** Reads a file line by line, so that only one line of a large file is in memory. Yields the lines of each piece that was read. */
export async function* readLines(path: string): AsyncGenerator<readonly Line[]> {
  let pending: Buffer[] = []
  let from = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const piece: Buffer = chunk // a stream without an encoding yields buffers
    const lines: Line[] = []
    let at = 0
    for (let end = piece.indexOf(LINE_BREAK); end !== -1; end = piece.indexOf(LINE_BREAK, at)) {
      const rest = piece.subarray(at, end)
      const bytes = pending.length === 0 ? rest : Buffer.concat([...pending, rest])
      lines.push({ bytes, from, isComplete: true })
      pending = []
      from += bytes.length + 1
      at = end + 1
    }
    if (at < piece.length) pending.push(piece.subarray(at))
    yield lines
  }
  if (pending.length > 0) yield [{ bytes: Buffer.concat(pending), from, isComplete: false }]
}
