import { reasonOf } from '../../core/result.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { findSealFault, historySeed, SEAL } from './checksum.ts'
import { findEntry, type Line, parseStateJson, StateFileError, visitLines } from './disk.ts'
import { findFormatFault } from './state-text.ts'
import { LOG_KIND } from './write-ahead-log.ts'

/** The outcome of applying a log. */
export interface LogReplay {
  /** The number of entries that were applied. */
  readonly entries: number
  /** The bytes of the log in which these entries are. The last one may lack its line break. */
  readonly from: number
  readonly to: number
  /** A sentence about the entry that a crash cut off. Absent: the log is complete. */
  readonly cutOff?: string
}

interface ReplayOptions {
  /** The content of the state file, to which the entries are applied. */
  readonly state: StateData
  /** Is true if the state file does not exist; then the history of `state` is new. */
  readonly isNew: boolean
}

/** Applies the entries that the state file does not have. Throws a `StateFileError` with the place of a broken one. */
export async function replayLog(path: string, options: ReplayOptions): Promise<LogReplay> {
  const found = findEntry(path)
  if (found === undefined) return { entries: 0, from: 0, to: 0 }
  const reader = new LogReader(options)
  try {
    if (!found.isFile()) throw new StateFileError('is no file')
    await visitLines(path, (line) => reader.readLine(line))
    const { cutOff, ...replay } = reader.finish()
    return { ...replay, ...(cutOff !== undefined && { cutOff: `${path}, ${cutOff}` }) }
  } catch (error) {
    const fault = error instanceof StateFileError ? error.message : `cannot be read (${reasonOf(error)})`
    throw new StateFileError(`${path}${reader.place} ${fault}`, { cause: error })
  }
}

/** Reads the lines of a log: its header, and then its entries, whose numbers follow each other. */
class LogReader {
  readonly #options: ReplayOptions
  readonly #seed: number
  /** The number of the last entry that was read, or undefined before the header was read. */
  #end: number | undefined
  #lineNumber = 0
  #replay: LogReplay = { entries: 0, from: 0, to: 0 }

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#seed = historySeed(options.state.history)
  }

  /** The line that was read last, for the place of a fault: `, line 3:`. Empty: no line was read. */
  get place(): string {
    return this.#lineNumber === 0 ? '' : `, line ${this.#lineNumber}:`
  }

  readLine({ bytes, from, isComplete }: Line): void {
    this.#lineNumber += 1
    const fault = findSealFault(bytes, this.#seed)
    const to = from + bytes.length + (isComplete ? 1 : 0)
    if (this.#end === undefined) this.#readHeader(bytes, isComplete, fault)
    else if (!isComplete && fault !== undefined) this.#readTail(bytes, this.#end)
    else this.#readEntry(bytes, this.#end + 1, fault, { from, to })
  }

  #readHeader(line: Buffer, isComplete: boolean, sealFault: string | undefined): void {
    if (!isComplete) throw new StateFileError('the header of the log is cut off')
    const header = this.#parseLine(line)
    const { state, isNew } = this.#options
    const formatFault = findFormatFault(header, LOG_KIND)
    if (formatFault !== undefined) throw new StateFileError(formatFault)
    const { history, seq } = header as { history?: unknown; seq?: unknown } // an object, as was just checked
    if (history !== state.history) {
      if (isNew) throw new StateFileError('the state file that it belongs to is missing')
      const both = `belongs to history ${String(history)}, and the state file to ${state.history}`
      throw new StateFileError(`${both}: they do not belong together`)
    }
    if (sealFault !== undefined) throw new StateFileError(sealFault)
    this.#end = Number(seq)
    if (this.#end > state.seq)
      throw new StateFileError(`begins after entry ${this.#end}, and follows entry ${state.seq}: ${MISMATCH}`)
  }

  #readEntry(line: Buffer, expected: number, fault: string | undefined, place: { from: number; to: number }): void {
    if (fault !== undefined) throw new StateFileError(fault)
    const { state } = this.#options
    // The line fits its checksum, so it is as it was written.
    const { seq, crc: _, ...change } = this.#parseLine(line) as { seq: number; crc: string } & Change
    if (seq !== expected) throw new StateFileError(`is entry ${seq} and follows entry ${this.#end}: ${MISMATCH}`)
    this.#end = seq
    if (seq <= state.seq) return // the state file contains it
    try {
      state.apply(change as Change) // an entry without its number is a change
    } catch (error) {
      throw new StateFileError(`cannot be used (${reasonOf(error)})`, { cause: error })
    }
    const { entries, from } = this.#replay
    this.#replay = { entries: entries + 1, from: entries === 0 ? place.from : from, to: place.to }
  }

  /** Reads the beginning of an entry, which a crash cut off while it was written, at the end of the file. */
  #readTail(tail: Buffer, end: number): void {
    const fault = this.#findTailFault(tail, end + 1)
    if (fault !== undefined) throw new StateFileError(fault)
    const cutOff =
      `line ${this.#lineNumber}: the last entry (${end + 1}) is cut off after ${tail.length} bytes, ` +
      'as by a crash while it was written. These bytes are taken off; all entries before are loaded'
    this.#replay = { ...this.#replay, cutOff }
  }

  #findTailFault(tail: Buffer, seq: number): string | undefined {
    if (findSealFault(tail.subarray(0, -1), this.#seed) === undefined) return 'its line break was damaged or changed'
    const control = tail.findIndex((byte) => byte < 0x20)
    if (control !== -1) return `has a byte ${tail[control]} at its position ${control}, which no entry has`
    const opening = `${SEAL}"seq":${seq},`
    const digits = /^\{"crc":"([0-9a-f]{0,8})/.exec(tail.toString('latin1'))?.[1] ?? ''
    const expected = opening.replace('0'.repeat(digits.length), digits).slice(0, tail.length)
    return tail.toString('latin1', 0, expected.length) === expected ? undefined : `does not begin as entry ${seq}`
  }

  /** Returns the outcome. Throws if the log ends before it should. */
  finish(): LogReplay {
    const { seq } = this.#options.state
    if (this.#end === undefined) throw new StateFileError('is empty: its header is missing')
    if (this.#end < seq)
      throw new StateFileError(`ends with entry ${this.#end}, and the state file contains entry ${seq}: ${MISMATCH}`)
    return this.#replay
  }

  #parseLine(line: Buffer): unknown {
    return parseStateJson(line.toString('utf8'), { line: this.#lineNumber, column: 1 })
  }
}

const MISMATCH = 'the state file and its log do not belong together'
