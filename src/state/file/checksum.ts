import { statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { readPieces } from './disk.ts'

/** Returns the CRC-32 of bytes as eight hexadecimal digits: `0a1b2c3d`. */
function formatChecksum(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}

const OPENING = Buffer.from('{"crc":"')
const DIGITS_AT = OPENING.length
const HEX_DIGITS = Buffer.from('0123456789abcdef')

/** The beginning of a sealed line, whose digits are filled in by `sealLine`. */
export const SEAL = '{"crc":"00000000",'

/** The checksum that those of a history's lines begin with, so that a line of another history does not fit. */
export function historySeed(history: string): number {
  return crc32(history)
}

/** Fills in the checksum of a line that begins with `SEAL`: that of the bytes from there to the line break. */
export function sealLine(line: Buffer, seed: number): void {
  const checksum = crc32(line.subarray(SEAL.length, line.length - 1), seed)
  for (let digit = 0; digit < 8; digit += 1)
    line[DIGITS_AT + digit] = HEX_DIGITS[(checksum >>> (28 - 4 * digit)) & 15] ?? 0 // a third of the time of a string
}

/** Says why a line without its line break does not fit its checksum, or returns undefined if it fits. */
export function findSealFault(line: Buffer, seed: number): string | undefined {
  const actual = formatChecksum(crc32(line.subarray(SEAL.length), seed))
  const expected = Buffer.from(SEAL.replace('00000000', actual))
  const seal = line.subarray(0, SEAL.length)
  return seal.equals(expected) ? undefined : 'does not fit its checksum, so it was damaged or changed'
}

const TRAILER = /^ {2}"checksum": "([0-9a-f]{8})"\n\}\n$/
const TRAILER_LENGTH = formatTrailer(0).length

/** Returns the last lines of a state file, with the checksum of all bytes before them. */
export function formatTrailer(checksum: number): string {
  return `  "checksum": "${formatChecksum(checksum)}"\n}\n`
}

/** The result of comparing a state file with its checksum. `absent`: the file does not end with one. */
export type Seal = 'fits' | 'differs' | 'absent'

/**
 * Compares a state file with the checksum that it ends with. It reads the file in pieces. `normaliseHead` returns the
 * first piece as it was when the checksum was computed.
 */
export async function checkTrailer(path: string, normaliseHead: (head: Buffer) => Buffer): Promise<Seal> {
  const { size } = statSync(path)
  const end = size - TRAILER_LENGTH
  if (end <= 0) return 'absent'
  const expected = TRAILER.exec(await readEnd(path, end, size))?.[1]
  if (expected === undefined) return 'absent'
  let checksum: number | undefined
  for await (const piece of readPieces(path, 0, end))
    checksum = checksum === undefined ? crc32(normaliseHead(piece)) : crc32(piece, checksum)
  return expected === formatChecksum(checksum ?? 0) ? 'fits' : 'differs'
}

async function readEnd(path: string, from: number, to: number): Promise<string> {
  let end = ''
  for await (const piece of readPieces(path, from, to)) end += piece.toString('latin1')
  return end
}
