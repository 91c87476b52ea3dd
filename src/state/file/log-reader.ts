import type { Change, StateData } from '../memory/state-data.ts'
import { isSealed } from './checksum.ts'
import { failAt, findEntry, LINE_BREAK, StateFileError, visitLines } from './disk.ts'

/** What was found in a log. */
export interface LogTail {
  /** The number of the entries that the state did not contain. */
  readonly entries: number
  /** Sentences about an entry that a crash cut off. */
  readonly warnings: readonly string[]
}

/** A line of a log. */
type Entry = { readonly seq: number; readonly crc: string } & Change

/**
 * Reads a log, if there is one, and applies the entries that the state does not contain. Throws a `StateFileError` with
 * the place of a fault.
 */
export async function readLog(path: string, state: StateData): Promise<LogTail> {
  const found = findEntry(path)
  const warnings: string[] = []
  let [place, lines, entries] = [`The log ${path}`, 0, 0]
  let end: number | undefined
  const readLine = (bytes: Buffer) => {
    lines += 1
    place = `The log ${path}, line ${lines}:`
    const line = bytes.at(-1) === LINE_BREAK ? bytes.subarray(0, -1) : bytes
    if (!isSealed(line)) {
      warnings.push(`${place} ${describeCutOff(bytes)}`)
      return
    }
    const { seq, crc: _, ...change }: Entry = JSON.parse(line.toString('utf8')) // as it was written
    checkOrder(seq, end, state.seq)
    end = seq
    if (seq <= state.seq) return
    state.apply(change as Change)
    entries += 1
  }
  try {
    if (found === undefined) return { entries, warnings }
    if (!found.isFile()) throw new StateFileError('is no file')
    await visitLines(path, readLine)
    return { entries, warnings }
  } catch (error) {
    return failAt(place, error)
  }
}

/** Throws for an entry that does not follow the one before, or, for the first one, begins after the state. */
function checkOrder(seq: number, before: number | undefined, stateSeq: number): void {
  if (before === undefined ? seq <= stateSeq + 1 : seq === before + 1) return
  throw new StateFileError(
    `is entry ${seq} and follows entry ${before ?? stateSeq}: the state file and its log do not belong together`,
  )
}

/** Describes an entry that a crash cut off while it was written. Throws for any other line that is not sealed. */
function describeCutOff(bytes: Buffer): string {
  if (bytes.at(-1) === LINE_BREAK || isSealed(bytes.subarray(0, -1)))
    throw new StateFileError('does not fit its checksum, so it was damaged or changed')
  return (
    `the last entry is cut off after ${bytes.length} bytes, as by a crash while it was written. ` +
    'All entries before are loaded.'
  )
}
