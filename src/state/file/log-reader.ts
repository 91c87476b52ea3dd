import { reasonOf } from '../../core/result.ts'
import type { Change, StateData } from '../memory/state-data.ts'
import { isSealed, SEAL } from './checksum.ts'
import { findEntry, LINE_BREAK, parseStateJson, StateFileError, visitLines } from './disk.ts'
import { findFormatFault, type Mark } from './state-text.ts'
import { LOG_KIND } from './write-ahead-log.ts'

const MISMATCH = 'the state file and its log do not belong together'

/** Reads a log: its header, and then its entries, whose numbers follow each other. */
export class LogReader {
  readonly #state: StateData
  readonly #mark: Mark | undefined
  #lineNumber = 0
  /** The number of the last entry that was read, or undefined before the header was read. */
  #end: number | undefined
  /** The number of entries that were applied. */
  entries = 0
  /** The bytes of the log between which these entries are. */
  from = 0
  to = 0
  /** A sentence about the entry that a crash cut off, or undefined for a complete log. */
  cutOff: string | undefined
  /** Is true if a log was begun beside the state file, and there is none. */
  isMissing = false

  /** `mark`: that of the state file, whose content `state` is. Default: there is no file, and the history is new. */
  constructor(state: StateData, mark?: Mark) {
    this.#state = state
    this.#mark = mark
  }

  /** Applies the entries that the state file does not have. Throws a `StateFileError` with the place of a fault. */
  async readFile(path: string): Promise<void> {
    const found = findEntry(path)
    if (found === undefined) {
      this.isMissing = this.#mark === 'open'
      return
    }
    try {
      if (!found.isFile()) throw new StateFileError('is no file')
      await visitLines(path, (line) => this.#readLine(line))
      this.#checkEnd(this.#state.seq)
    } catch (error) {
      const fault = error instanceof StateFileError ? error.message : `cannot be read (${reasonOf(error)})`
      throw new StateFileError(`${path}${this.#lineNumber === 0 ? '' : `, ${this.#place}`} ${fault}`, { cause: error })
    }
    if (this.cutOff !== undefined) this.cutOff = `${path}, ${this.#place} ${this.cutOff}`
  }

  get #place(): string {
    return `line ${this.#lineNumber}:`
  }

  #readLine(bytes: Buffer): void {
    this.#lineNumber += 1
    const isComplete = bytes.at(-1) === LINE_BREAK
    const line = isComplete ? bytes.subarray(0, -1) : bytes
    const isIntact = isSealed(line, this.#state.history)
    if (this.#end !== undefined && !isComplete && !isIntact) this.#readTail(line, this.#end + 1)
    else if (this.#end === undefined) this.#end = this.#readHeader(line, isComplete, isIntact)
    else this.#readEntry(line, this.#end, isIntact)
    if (this.cutOff === undefined) this.to += bytes.length
    if (this.entries === 0) this.from = this.to
  }

  #readHeader(line: Buffer, isComplete: boolean, isIntact: boolean): number {
    if (!isComplete) throw new StateFileError('the header of the log is cut off')
    const header = parseStateJson(line.toString('utf8'))
    const formatFault = findFormatFault(header, LOG_KIND)
    if (formatFault !== undefined) throw new StateFileError(formatFault)
    const { history, seq } = header as { history?: unknown; seq?: unknown } // an object, as was just checked
    if (history !== this.#state.history) {
      if (this.#mark === undefined) throw new StateFileError('the state file that it belongs to is missing')
      const both = `belongs to history ${String(history)}, and the state file to ${this.#state.history}`
      throw new StateFileError(`${both}: they do not belong together`)
    }
    checkSeal(isIntact)
    if (Number(seq) <= this.#state.seq) return Number(seq)
    throw new StateFileError(`begins after entry ${seq}, and follows entry ${this.#state.seq}: ${MISMATCH}`)
  }

  #readEntry(line: Buffer, end: number, isIntact: boolean): void {
    checkSeal(isIntact)
    // What fits its checksum is as it was written: a change with a number.
    const { seq, crc: _, ...change } = JSON.parse(line.toString('utf8')) as { seq: number; crc: string } & Change
    if (seq !== end + 1) throw new StateFileError(`is entry ${seq} and follows entry ${end}: ${MISMATCH}`)
    this.#end = seq
    if (seq <= this.#state.seq) return // the state file contains it
    try {
      this.#state.apply(change as Change)
    } catch (error) {
      throw new StateFileError(`cannot be used (${reasonOf(error)})`, { cause: error })
    }
    this.entries += 1
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
      `the last entry (${seq}) is cut off after ${tail.length} bytes, as by a crash while it was written. ` +
      'These bytes are taken off; all entries before are loaded'
  }

  /** Checks that the log does not end before it should. */
  #checkEnd(seq: number): void {
    if (this.#end === undefined) throw new StateFileError('is empty: its header is missing')
    if (this.#end < seq)
      throw new StateFileError(`ends with entry ${this.#end}, and the state file contains entry ${seq}: ${MISMATCH}`)
  }
}

function checkSeal(isIntact: boolean): void {
  if (!isIntact) throw new StateFileError('does not fit its checksum, so it was damaged or changed')
}
