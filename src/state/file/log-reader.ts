import { reasonOf } from '../../core/result.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { isSealed, SEAL } from './checksum.ts'
import { findEntry, LINE_BREAK, parseStateJson, StateFileError, visitLines } from './disk.ts'
import { findFormatFault } from './state-text.ts'
import { LOG_KIND } from './write-ahead-log.ts'

/** The outcome of applying a log. */
interface LogReplay {
  /** The lines of the entries that were applied, each with its line break. */
  readonly lines: Buffer[]
  /** A sentence about the entry that a crash cut off, or undefined for a complete log. */
  readonly cutOff: string | undefined
}

/**
 * Applies the entries that the state file does not have to its content. Throws a `StateFileError` with the place of a
 * broken one. `isNew`: the state file does not exist, and the history of `state` is new.
 */
export async function replayLog(path: string, state: StateData, isNew: boolean): Promise<LogReplay> {
  const reader = new LogReader(state, isNew)
  const found = findEntry(path)
  if (found === undefined) return reader
  try {
    if (!found.isFile()) throw new StateFileError('is no file')
    await visitLines(path, (line) => reader.readLine(line))
    reader.finish()
    return { lines: reader.lines, cutOff: reader.cutOff && `${path}, ${reader.cutOff}` }
  } catch (error) {
    const place = reader.lineNumber === 0 ? '' : `, line ${reader.lineNumber}:`
    const fault = error instanceof StateFileError ? error.message : `cannot be read (${reasonOf(error)})`
    throw new StateFileError(`${path}${place} ${fault}`, { cause: error })
  }
}

const MISMATCH = 'the state file and its log do not belong together'

const SEAL_FAULT = 'does not fit its checksum, so it was damaged or changed'

/** Reads the lines of a log: its header, and then its entries, whose numbers follow each other. */
class LogReader implements LogReplay {
  readonly #state: StateData
  readonly #isNew: boolean
  /** The number of the last entry that was read, or undefined before the header was read. */
  #end: number | undefined
  lineNumber = 0
  readonly lines: Buffer[] = []
  cutOff: string | undefined

  constructor(state: StateData, isNew: boolean) {
    this.#state = state
    this.#isNew = isNew
  }

  readLine(line: Buffer): void {
    this.lineNumber += 1
    const isComplete = line.at(-1) === LINE_BREAK
    const content = isComplete ? line.subarray(0, -1) : line
    const isIntact = isSealed(content, this.#state.history)
    if (this.#end === undefined) this.#end = this.#readHeader(content, isComplete, isIntact)
    else if (!isComplete && !isIntact) this.#readTail(content, this.#end + 1)
    else if (!isIntact) throw new StateFileError(SEAL_FAULT)
    else if (this.#readEntry(content, this.#end))
      this.lines.push(isComplete ? line : Buffer.concat([line, Buffer.of(LINE_BREAK)]))
  }

  #readHeader(line: Buffer, isComplete: boolean, isIntact: boolean): number {
    if (!isComplete) throw new StateFileError('the header of the log is cut off')
    const header = this.#parseLine(line)
    const formatFault = findFormatFault(header, LOG_KIND)
    if (formatFault !== undefined) throw new StateFileError(formatFault)
    const { history, seq } = header as { history?: unknown; seq?: unknown } // an object, as was just checked
    if (history !== this.#state.history) {
      if (this.#isNew) throw new StateFileError('the state file that it belongs to is missing')
      const both = `belongs to history ${String(history)}, and the state file to ${this.#state.history}`
      throw new StateFileError(`${both}: they do not belong together`)
    }
    if (!isIntact) throw new StateFileError(SEAL_FAULT)
    if (Number(seq) <= this.#state.seq) return Number(seq)
    throw new StateFileError(`begins after entry ${seq}, and follows entry ${this.#state.seq}: ${MISMATCH}`)
  }

  /** Reads an entry that fits its checksum, so it is as it was written. Returns false if the state file contains it. */
  #readEntry(line: Buffer, end: number): boolean {
    const { seq, crc: _, ...change } = this.#parseLine(line) as { seq: number; crc: string } & Change
    if (seq !== end + 1) throw new StateFileError(`is entry ${seq} and follows entry ${end}: ${MISMATCH}`)
    this.#end = seq
    if (seq <= this.#state.seq) return false
    try {
      this.#state.apply(change as Change) // an entry without its number is a change
      return true
    } catch (error) {
      throw new StateFileError(`cannot be used (${reasonOf(error)})`, { cause: error })
    }
  }

  /** Reads the beginning of an entry, which a crash cut off while it was written, at the end of the file. */
  #readTail(tail: Buffer, seq: number): void {
    if (isSealed(tail.subarray(0, -1), this.#state.history))
      throw new StateFileError('its line break was damaged or changed')
    const control = tail.findIndex((byte) => byte < 0x20)
    if (control !== -1)
      throw new StateFileError(`has a byte ${tail[control]} at its position ${control}, which no entry has`)
    const text = tail.toString('latin1')
    const digits = /^\{"crc":"([0-9a-f]{0,8})/.exec(text)?.[1] ?? ''
    const opening = `${SEAL}"seq":${seq},`.replace('0'.repeat(digits.length), digits)
    if (!text.startsWith(opening.slice(0, text.length))) throw new StateFileError(`does not begin as entry ${seq}`)
    this.cutOff =
      `line ${this.lineNumber}: the last entry (${seq}) is cut off after ${tail.length} bytes, ` +
      'as by a crash while it was written. These bytes are taken off; all entries before are loaded'
  }

  /** Throws if the log ends before it should. */
  finish(): void {
    const { seq } = this.#state
    if (this.#end === undefined) throw new StateFileError('is empty: its header is missing')
    if (this.#end < seq)
      throw new StateFileError(`ends with entry ${this.#end}, and the state file contains entry ${seq}: ${MISMATCH}`)
  }

  #parseLine(line: Buffer): unknown {
    return parseStateJson(line.toString('utf8'), { line: this.lineNumber, column: 1 })
  }
}
