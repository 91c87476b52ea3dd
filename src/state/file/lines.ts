/**
 * Sealed lines, of which the state file and its log consist: JSON whose first member is the checksum of the rest of
 * the line. The first line of a file is its header; each later line is an entry with its number, `seq`. The lines of a
 * state file are together one JSON document: the header opens the list of its entries, and the last line closes it.
 */
import { createReadStream } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isObject, parseJson } from '../../core/json.ts'
import { reasonOf } from '../../core/result.ts'
import { SandboxData, type StateData } from '../memory/state-data.ts'
import type { StateChecks, StoredChange } from '../state-checks.ts'
import { StateFileError } from './disk.ts'

/** The version of the format of the state file and its log. */
const FORMAT = 4

/** The `kind` in the header of a file. */
export type FileKind = 'convsim state' | 'convsim journal'

/** The header of a file. */
export interface Header {
  /** The id of the history that the entries belong to. */
  readonly history: string
  /** The number of the last entry of the log that a state file contains, or that stands before a log. 0: none. */
  readonly seq: number
}

/** The beginning of a sealed line, whose digits are those of the checksum. */
export const SEAL = '{"crc":"00000000",'
const DIGITS_AT = SEAL.indexOf('0')
const HEX_DIGITS = Buffer.from('0123456789abcdef')
const LINE_BREAK = 0x0a

/** Returns the checksum that those of a history's lines begin with, so that a line of another history does not fit. */
export function historySeed(history: string): number {
  return crc32(history)
}

/** Returns a sealed line. `members`: the rest of the line behind the checksum. */
export function sealLine(members: string, seed: number): Buffer {
  const line = Buffer.from(`${SEAL}${members}\n`)
  writeDigits(line, crc32(line.subarray(SEAL.length, -1), seed))
  return line
}

function writeDigits(line: Buffer, checksum: number): void {
  for (let digit = 0; digit < 8; digit += 1)
    line[DIGITS_AT + digit] = HEX_DIGITS[(checksum >>> (28 - 4 * digit)) & 15] ?? 0 // a third of the time of a string
}

const SEAL_FAULT = 'does not fit its checksum, so it was damaged or changed'

/** Says why a line without its line break does not fit its checksum, or returns undefined if it fits. */
export function findSealFault(line: Buffer, seed: number): string | undefined {
  const expected = Buffer.from(SEAL)
  writeDigits(expected, crc32(line.subarray(SEAL.length), seed))
  return line.subarray(0, SEAL.length).equals(expected) ? undefined : SEAL_FAULT
}

/** Returns the header of a file. */
export function encodeHeader(kind: FileKind, { history, seq }: Header): Buffer {
  const members = JSON.stringify({ kind, format: FORMAT, history, seq }).slice(1, -1)
  return sealLine(members + (kind === 'convsim state' ? ',"entries":[' : '}'), historySeed(history))
}

/** A line behind the header, without its line break. */
export interface Line {
  readonly bytes: Buffer
  /** Says why the line does not fit its checksum, if so. */
  readonly fault: string | undefined
  /** Is false if the file ends without a line break. */
  readonly isComplete: boolean
  /** The number of the line in its file; that of the first line behind the header is 2. */
  readonly number: number
}

/** Reads the lines of a file. A method throws a `StateFileError` that says what is wrong with its line. */
export interface LineVisitor {
  readHeader(header: Header): void
  readLine(line: Line): Promise<void>
  /** Is called at the end of the file. */
  finish(): void
}

/** Reads a file. Throws a `StateFileError` that begins with the place of a fault. */
export async function readLines(
  path: string,
  kind: FileKind,
  checks: StateChecks,
  visitor: LineVisitor,
): Promise<void> {
  let number = 0
  let seed = 0
  const visitHeader = async (bytes: Buffer, isComplete: boolean) => {
    const header = await readHeader(path, kind, checks, bytes)
    seed = historySeed(header.history)
    const fault = findSealFault(bytes, seed) ?? (isComplete ? undefined : 'is cut off after its header')
    if (fault !== undefined) throw new StateFileError(fault)
    visitor.readHeader(header)
  }
  try {
    if (!(await lstat(path)).isFile()) throw new StateFileError('is no file')
    for await (const { bytes, isComplete } of splitLines(path)) {
      number += 1
      if (number === 1) await visitHeader(bytes, isComplete)
      else await visitor.readLine({ bytes, fault: findSealFault(bytes, seed), isComplete, number })
    }
    if (number === 0) throw new StateFileError('is empty')
    visitor.finish()
  } catch (error) {
    throw placeFault(error, number === 0 ? path : `${path}, line ${number}:`)
  }
}

function placeFault(error: unknown, place: string): StateFileError {
  const fault = error instanceof StateFileError ? error.message : `cannot be used (${reasonOf(error)})`
  return new StateFileError(`${place} ${fault}`, { cause: error })
}

/** Yields the lines of a file without their line breaks. It reads one megabyte at a time. */
async function* splitLines(path: string): AsyncGenerator<{ readonly bytes: Buffer; readonly isComplete: boolean }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const piece: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let end = piece.indexOf(LINE_BREAK, rest.length); end !== -1; end = piece.indexOf(LINE_BREAK, at)) {
      yield { bytes: piece.subarray(at, end), isComplete: true }
      at = end + 1
    }
    rest = piece.subarray(at)
  }
  if (rest.length > 0) yield { bytes: rest, isComplete: false }
}

async function readHeader(path: string, kind: FileKind, checks: StateChecks, line: Buffer): Promise<Header> {
  const text = line.toString('utf8')
  const isSealed = text.startsWith(SEAL.slice(0, DIGITS_AT))
  // A file of another program or of an earlier format can have line breaks anywhere.
  const json = isSealed ? text + (kind === 'convsim state' ? ']}' : '') : await readFile(path, 'utf8')
  const header = parseJson(json)
  if (isSealed && header === undefined) throw new StateFileError(SEAL_FAULT)
  const fault = findFormatFault(header, kind) ?? checks.header(header, 'it')[0]
  if (fault !== undefined) throw new StateFileError(fault)
  return header as unknown as Header // the check has just proved it
}

/** Says why a document is no file of this kind and format, or returns undefined if it is one. */
function findFormatFault(document: unknown, kind: FileKind): string | undefined {
  if (!isObject(document) || document['kind'] !== kind) return `is no file of ours: it does not say "kind": "${kind}"`
  const { format } = document
  if (typeof format !== 'number' || !Number.isInteger(format)) return 'does not say its format'
  if (format > FORMAT) return `has format ${format}, and this version reads format ${FORMAT}; use a newer version`
  return format === FORMAT ? undefined : `has format ${format}, which this version cannot read`
}

export const MISMATCH = 'the state file and its log do not belong together'

/** Applies the entry of a line, unless the state has it. Throws a `StateFileError` for an invalid or a wrong entry. */
export async function applyEntry(
  text: string,
  { state, checks, seq }: { readonly state: StateData; readonly checks: StateChecks; readonly seq: number },
): Promise<void> {
  const entry: unknown = JSON.parse(text)
  const [fault] = checks.logEntry(entry, 'it')
  if (fault !== undefined) throw new StateFileError(`is no entry: ${fault}`)
  const change = entry as StoredChange // the check has just proved it
  if (change.seq !== seq) throw new StateFileError(`is entry ${change.seq} and follows entry ${seq - 1}: ${MISMATCH}`)
  if (seq <= state.seq) return
  state.apply(change.op === 'import' ? { ...change, state: await SandboxData.of(change.state) } : change)
}
