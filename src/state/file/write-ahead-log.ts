import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { FORMAT } from './format.ts'

/** How bytes get into a file: returns how many did. Where a test plays the full disk. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

export const LOG_KIND = 'convsim journal'

const LOG_HEADER = `${JSON.stringify({ kind: LOG_KIND, format: FORMAT })}\n`

/** One file of the journal. Each checkpoint begins the next, so that dropping what it covers is deleting files. */
export interface LogFile {
  readonly path: string
  readonly generation: number
  /** Up to here it is whole; what follows was never acknowledged. */
  readonly bytes: number
}

/**
 * The append side of the journal. It writes synchronously: an append to the system's cache costs some microseconds,
 * a tenth of the way through the thread pool and back, and keeps deciding, keeping and applying in one turn.
 */
export class WriteAheadLog {
  readonly #base: string
  readonly #write: WriteBytes
  #old: LogFile[]
  #generation: number
  #fd: number
  #bytes: number
  #isTorn = false
  /** What is appended, as bytes; the same room each time, so that none is left to be collected. */
  readonly #bytesToAppend = Buffer.allocUnsafeSlow(64 * 1024)

  /** Goes on where the last of the files found ends; begins the first one where there is none. */
  constructor(base: string, found: readonly LogFile[], write: WriteBytes = writeSync) {
    this.#base = base
    this.#write = write
    const last = found.at(-1)
    this.#old = found.slice(0, -1)
    this.#generation = last?.generation ?? 1
    this.#fd = openSync(logPath(base, this.#generation), 'a')
    this.#bytes = last?.bytes ?? 0
    ftruncateSync(this.#fd, this.#bytes)
  }

  /** What a start would have to read besides the checkpoint. */
  get bytes(): number {
    return this.#old.reduce((sum, { bytes }) => sum + bytes, this.#bytes)
  }

  get isEmpty(): boolean {
    return this.bytes <= LOG_HEADER.length
  }

  /** Keeps all of the lines, or none of them and throws. */
  append(lines: string): void {
    if (this.#isTorn) this.#mend()
    const bytes = this.#encoded(this.#bytes === 0 ? LOG_HEADER + lines : lines)
    try {
      for (let written = 0; written < bytes.length; ) written += this.#write(this.#fd, bytes, written)
    } catch (error) {
      this.#isTorn = true
      this.#tryToMend()
      throw error
    }
    this.#bytes += bytes.length
  }

  #encoded(text: string): Uint8Array {
    const room = this.#bytesToAppend
    if (text.length * 3 > room.length) return Buffer.from(text) // as many bytes as it may have
    return room.subarray(0, room.write(text))
  }

  /** Cuts off what a failed append left behind. */
  #mend(): void {
    ftruncateSync(this.#fd, this.#bytes)
    this.#isTorn = false
  }

  #tryToMend(): void {
    try {
      this.#mend()
    } catch {
      // Still torn: the next append begins with this again, and fails where it fails.
    }
  }

  /** From here on entries go to a new file. */
  rotate(): void {
    if (this.#isTorn) this.#mend()
    const path = logPath(this.#base, this.#generation)
    const fd = openSync(logPath(this.#base, this.#generation + 1), 'a')
    closeSync(this.#fd)
    this.#old.push({ path, generation: this.#generation, bytes: this.#bytes })
    this.#generation += 1
    this.#fd = fd
    this.#bytes = 0
  }

  /** Deletes the files that the last rotation ended: a checkpoint holds what stands in them. */
  async dropOld(): Promise<void> {
    const covered = this.#old
    for (const { path } of covered) await rm(path, { force: true })
    this.#old = this.#old.filter((file) => !covered.includes(file))
  }

  async close(): Promise<void> {
    closeSync(this.#fd)
    if (this.isEmpty) await rm(logPath(this.#base, this.#generation), { force: true })
  }
}

/** `state.json.journal.7` beside `state.json`. */
function logPath(base: string, generation: number): string {
  return `${base}.journal.${generation}`
}
