import type { Change, StateData } from '../memory/state-data.ts'
import { isSealed, SEAL } from './checksum.ts'
import { failAt, findEntry, LINE_BREAK, parseStateJson, StateFileError, visitLines } from './disk.ts'
import { findFormatFault } from './state-text.ts'
import { LOG_KIND } from './write-ahead-log.ts'

const MISMATCH = 'the state file and its log do not belong together'

/** The entries of a log that the state file does not contain. */
export interface LogTail {
  /** The number of the entries. */
  entries: number
  /** The bytes of the log between which the entries are. */
  from: number
  to: number
  /** Sentences about what is missing from the log. */
  warnings: string[]
}

/** A line of a log, apart from the members of a header. */
type Entry = { readonly seq: number; readonly crc: string } & Change

/**
 * Reads a log: its header, and then its entries, of which it applies those that the state does not contain. `isNew`:
 * the state has no file. Throws a `StateFileError` with the place of a fault.
 */
export async function readLog(path: string, state: StateData, isNew: boolean): Promise<LogTail> {
  const tail: LogTail = { entries: 0, from: 0, to: 0, warnings: [] }
  let [place, lines, end] = [`The log ${path}`, 0, -1]
  const readLine = (bytes: Buffer) => {
    lines += 1
    place = `The log ${path}, line ${lines}:`
    const line = withoutBreak(bytes)
    if (lines === 1) checkHeader(bytes, state, isNew)
    if (!isSealed(line, state.history)) {
      tail.warnings = [`${place} ${describeCutOff(bytes, end + 1, state.history)}`]
      return
    }
    const { seq, crc: _, ...change }: Entry = JSON.parse(line.toString('utf8')) // as it was written
    if (lines > 1 && seq !== end + 1) throw new StateFileError(`is entry ${seq} and follows entry ${end}: ${MISMATCH}`)
    end = seq
    if (seq > state.seq) {
      state.apply(change as Change)
      tail.entries += 1
    }
    tail.to += bytes.length
    if (tail.entries === 0) tail.from = tail.to
  }
  try {
    if (!findEntry(path)?.isFile()) throw new StateFileError('is no file')
    await visitLines(path, readLine)
    if (lines === 0) throw new StateFileError('is empty: its header is missing')
    if (end < state.seq)
      throw new StateFileError(`ends with entry ${end}, and the state file contains entry ${state.seq}: ${MISMATCH}`)
    return tail
  } catch (error) {
    return failAt(place, error)
  }
}

/** Throws for the header of another log than that of the state, or of one that begins after it. */
function checkHeader(bytes: Buffer, state: StateData, isNew: boolean): void {
  if (bytes.at(-1) !== LINE_BREAK) throw new StateFileError('the header of the log is cut off')
  const header = parseStateJson(bytes.toString('utf8'))
  const formatFault = findFormatFault(header, LOG_KIND)
  if (formatFault !== undefined) throw new StateFileError(formatFault)
  const { history, seq } = header as { history?: unknown; seq?: unknown } // an object, as was just checked
  if (history !== state.history) {
    if (isNew) throw new StateFileError('the state file that it belongs to is missing')
    const both = `belongs to history ${String(history)}, and the state file to ${state.history}`
    throw new StateFileError(`${both}: they do not belong together`)
  }
  if (Number(seq) > state.seq)
    throw new StateFileError(`begins after entry ${seq}, and follows entry ${state.seq}: ${MISMATCH}`)
}

function withoutBreak(bytes: Buffer): Buffer {
  return bytes.at(-1) === LINE_BREAK ? bytes.subarray(0, -1) : bytes
}

/** Describes the beginning of an entry, which a crash cut off while it was written. Throws for any other bytes. */
function describeCutOff(bytes: Buffer, seq: number, history: string): string {
  if (bytes.at(-1) === LINE_BREAK) throw new StateFileError('does not fit its checksum, so it was damaged or changed')
  if (isSealed(bytes.subarray(0, -1), history)) throw new StateFileError('its line break was damaged or changed')
  const control = bytes.findIndex((byte) => byte < 0x20)
  if (control !== -1)
    throw new StateFileError(`has a byte ${bytes[control]} at its position ${control}, which no entry has`)
  const text = bytes.toString('latin1')
  const digits = /^\{"crc":"([0-9a-f]{0,8})/.exec(text)?.[1] ?? ''
  const opening = `${SEAL}"seq":${seq},`.replace('0'.repeat(digits.length), digits)
  if (!text.startsWith(opening.slice(0, text.length))) throw new StateFileError(`does not begin as entry ${seq}`)
  return (
    `the last entry (${seq}) is cut off after ${bytes.length} bytes, as by a crash while it was written. ` +
    'These bytes are taken off; all entries before are loaded.'
  )
}
