import { crc32 } from 'node:zlib'

function formatChecksum(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}

/** The beginning of a sealed line, with zeros in place of its checksum. */
export const SEAL = '{"crc":"00000000",'

/** Returns the beginning of a line with the checksum of the rest. */
function sealOf(line: Buffer): string {
  return SEAL.replace('00000000', formatChecksum(crc32(line.subarray(SEAL.length))))
}

/** Fills in the checksum of a line that begins with `SEAL`, without its line break. */
export function sealLine(line: Buffer): void {
  line.write(sealOf(line), 'latin1')
}

/** Returns true if a line without its line break fits its checksum. */
export function isSealed(line: Buffer): boolean {
  return line.toString('latin1', 0, SEAL.length) === sealOf(line)
}

/** The beginning of the last lines of a state file. */
export const TRAILER = '  "checksum": "'

/** Returns the last lines of a state file, with the checksum of all bytes before them. */
export function formatTrailer(checksum: number): string {
  return `${TRAILER}${formatChecksum(checksum)}"\n}\n`
}
