import { readFileSync } from 'node:fs'
import type { Change, StateData } from '../memory/state-data.ts'
import { failAt, findEntry, isSealed, StateFileError } from './disk.ts'

export interface LogSummary {
  readonly entries: number
  /** Contains a sentence about a truncated last entry, if any. */
  readonly warnings: readonly string[]
}

/** Reads a log, if it exists, and applies the entries that are not yet in the state. Errors name the line. */
export function readLog(path: string, state: StateData): LogSummary {
  const warnings: string[] = []
  let [location, lineNumber, entries] = [`The log ${path}`, 0, 0]
  let previous: number | undefined
  try {
    for (const { line, hasLineBreak } of readLines(path)) {
      lineNumber += 1
      location = `Line ${lineNumber} of the log ${path}`
      if (!isSealed(line)) {
        warnings.push(`${location}${describeTruncation(line, hasLineBreak)}`)
        continue
      }
      const { seq, crc: _, ...change }: Change & { seq: number; crc: string } = JSON.parse(line.toString('utf8'))
      checkOrder(seq, previous, state.seq)
      previous = seq
      if (seq <= state.seq) continue
      state.apply(change as Change)
      entries += 1
    }
    return { entries, warnings }
  } catch (error) {
    return failAt(location, error)
  }
}

/** Yields the lines of a file, if it exists. `hasLineBreak` is false for a last line without a line break. */
function* readLines(path: string): Generator<{ readonly line: Buffer; readonly hasLineBreak: boolean }> {
  const found = findEntry(path)
  if (found === undefined) return
  if (!found.isFile()) throw new StateFileError('is not a file')
  const bytes = readFileSync(path)
  for (let start = 0; start < bytes.length; ) {
    const lineBreak = bytes.indexOf('\n', start)
    const end = lineBreak === -1 ? bytes.length : lineBreak
    yield { line: bytes.subarray(start, end), hasLineBreak: lineBreak !== -1 }
    start = end + 1
  }
}

/** Throws if an entry does not directly follow the previous one, or if the first entry leaves a gap after the state. */
function checkOrder(seq: number, previous: number | undefined, stateSeq: number): void {
  if (previous === undefined ? seq <= stateSeq + 1 : seq === previous + 1) return
  throw new StateFileError(
    `is entry ${seq} but follows entry ${previous ?? stateSeq}: the state file and its log do not belong together`,
  )
}

/** Returns the end of a sentence about a truncated last entry. Throws for any other line without a valid checksum. */
function describeTruncation(line: Buffer, hasLineBreak: boolean): string {
  if (hasLineBreak || isSealed(line.subarray(0, -1)))
    throw new StateFileError('does not match its checksum, so it was damaged or changed')
  const length = `byte ${line.length}`
  return `, the last entry, is truncated after ${length}, probably by a crash. All earlier entries were loaded.`
}
