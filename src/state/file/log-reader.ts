import { isObject } from '../../core/json.ts'
import { reasonOf } from '../../core/result.ts'
import type { Change } from '../memory/state-data.ts'
import type { StateChecks } from '../state-checks.ts'
import { findSealFault, historySeed, SEAL } from './checksum.ts'
import { FORMAT, migrate, OLDEST_FORMAT } from './format.ts'
import { parseJson, StateFileError } from './state-file-error.ts'
import { LOG_KIND } from './write-ahead-log.ts'

/** The position of a state file in its history. */
export interface HistoryPosition {
  readonly history: string
  /** The number of the last log entry that the state contains. */
  readonly seq: number
  /** The format that the file had when it was read. */
  readonly format: number
  /** False: the state file does not exist, and `history` is new. */
  readonly isPresent: boolean
}

/** Reads the lines of the log files of one state file, from the first file to the last. Throws a `StateFileError` for a damaged line. */
export class LogReader {
  readonly #start: HistoryPosition
  readonly #checks: StateChecks
  readonly #apply: (change: Change) => void
  readonly #seed: number
  /** The format of the current file. Undefined: its header was not read. */
  #format: number | undefined
  /** The number of the last entry that was read. Undefined: none was read, and the header did not tell. */
  #end: number | undefined
  #seq: number
  #entries = 0
  #cutOff: string | undefined
  #lineNumber = 0

  constructor(start: HistoryPosition, checks: StateChecks, apply: (change: Change) => void) {
    this.#start = start
    this.#checks = checks
    this.#apply = apply
    this.#seed = historySeed(start.history)
    this.#seq = start.seq
  }

  /** The number of the last entry that the state contains. */
  get seq(): number {
    return this.#seq
  }

  /** The number of the last entry of the log. */
  get end(): number {
    return this.#end ?? this.#start.seq
  }

  /** The number of entries that were applied. */
  get entries(): number {
    return this.#entries
  }

  /** Describes the entry that a crash cut off. Undefined: the log is complete. */
  get cutOff(): string | undefined {
    return this.#cutOff
  }

  /** The line that was read last, for the place of a fault: `, line 3:`. Empty: no line was read. */
  get place(): string {
    return this.#lineNumber === 0 ? '' : `, line ${this.#lineNumber}:`
  }

  beginFile(): void {
    this.#format = undefined
    this.#lineNumber = 0
  }

  /** Throws if the file has no header. Only format 1 created files before their headers. */
  endFile(): void {
    if (this.#format === undefined && this.#start.format > OLDEST_FORMAT)
      throw new StateFileError('is empty: its header is missing')
  }

  /** Reads a complete line. Returns true. */
  readLine(line: Buffer): boolean {
    this.#lineNumber += 1
    if (this.#format === undefined) this.#readHeader(line)
    else this.#readEntry(line)
    return true
  }

  /**
   * Reads the end of a file that does not end with a line break: the beginning of an entry, which a crash cut off while it was
   * written, or a complete entry. False: the entry is cut off.
   */
  readTail(tail: Buffer, isLast: boolean): boolean {
    this.#lineNumber += 1
    const isOld = (this.#format ?? this.#start.format) === OLDEST_FORMAT
    if (!isOld && this.#format !== undefined && findSealFault(tail, this.#seed) === undefined) {
      this.#readEntry(tail)
      return true
    }
    const fault = this.#findTailFault(tail, isLast, isOld)
    if (fault !== undefined) throw new StateFileError(fault)
    this.#cutOff = `line ${this.#lineNumber}: the last entry (${this.end + 1}) is cut off after ${tail.length} bytes, as by a crash while it was written. These bytes are taken off; all entries before are loaded`
    return false
  }

  #findTailFault(tail: Buffer, isLast: boolean, isOld: boolean): string | undefined {
    if (!isLast) return 'is cut off, and a later log file exists'
    if (this.#format === undefined) return isOld ? undefined : 'the header of the log is cut off'
    if (!isOld && findSealFault(tail.subarray(0, -1), this.#seed) === undefined)
      return 'its line break was damaged or changed'
    const control = tail.findIndex((byte) => byte < 0x20)
    if (control !== -1) return `has a byte ${tail[control]} at its position ${control}, which no entry has`
    const start = `"seq":${this.end + 1},`
    const expected = isOld ? `{${start}` : SEAL + start
    const actual = tail
      .toString('latin1')
      .replace(
        /^(\{"crc":")[0-9a-f]{1,8}/,
        (digits, opening) => opening + '0'.repeat(digits.length - opening.length),
      )
    const length = Math.min(actual.length, expected.length)
    return actual.slice(0, length) === expected.slice(0, length)
      ? undefined
      : `does not begin as entry ${this.end + 1}`
  }

  #readHeader(line: Buffer): void {
    const header: unknown = this.#parseLine(line)
    const isSealed = isObject(header) && header['crc'] !== undefined
    const { seq, history } = migrate(header, LOG_KIND)
    this.#format = isSealed ? FORMAT : OLDEST_FORMAT
    if (!isSealed && isObject(header) && header['format'] === OLDEST_FORMAT) return
    if (history !== this.#start.history) throw new StateFileError(this.#describeMismatch(history))
    const fault = findSealFault(line, this.#seed)
    if (fault !== undefined) throw new StateFileError(fault)
    this.#continueFrom(Number(seq))
  }

  #describeMismatch(history: unknown): string {
    const { isPresent, history: expected } = this.#start
    if (!isPresent) return 'the state file that it belongs to is missing'
    return `belongs to history ${String(history)}, and the state file to ${expected}: they do not belong together`
  }

  /** Notes the number of the entry before the file's first entry. It must be the last entry of the file before. */
  #continueFrom(before: number): void {
    const isContinued = this.#end === undefined ? before <= this.#start.seq : before === this.#end
    if (!isContinued)
      throw new StateFileError(
        `begins after entry ${before}, and follows entry ${this.end}: the state file and its journal do not belong together`,
      )
    this.#end = before
  }

  #readEntry(line: Buffer): void {
    const isOld = this.#format === OLDEST_FORMAT
    const sealFault = isOld ? undefined : findSealFault(line, this.#seed)
    if (sealFault !== undefined) throw new StateFileError(sealFault)
    const { seq, change } = this.#parseEntry(line)
    if (this.#end === undefined && seq <= this.#start.seq) this.#end = seq - 1
    if (seq !== this.end + 1)
      throw new StateFileError(
        `is entry ${seq} and follows entry ${this.end}: the state file and its journal do not belong together`,
      )
    this.#end = seq
    if (seq <= this.#seq) return // the state file contains it
    if (isOld && this.#start.format > OLDEST_FORMAT)
      throw new StateFileError(`is entry ${seq} of format ${OLDEST_FORMAT}, which follows a newer state file`)
    try {
      this.#apply(change)
    } catch (error) {
      throw new StateFileError(`cannot be used (${reasonOf(error)})`, { cause: error })
    }
    this.#seq = seq
    this.#entries += 1
  }

  #parseEntry(line: Buffer): { readonly seq: number; readonly change: Change } {
    const entry = this.#parseLine(line)
    const [fault] = this.#checks.logEntry(entry, 'it')
    if (fault !== undefined) throw new StateFileError(`is no entry: ${fault}`)
    const { seq, crc: _, ...change } = entry as { seq: number; crc?: string } & Change // the check has just proved it
    return { seq, change: change as Change } // an entry without its number is a change
  }

  #parseLine(line: Buffer): unknown {
    return parseJson(line.toString('utf8'), { line: this.#lineNumber, column: 1 })
  }
}
