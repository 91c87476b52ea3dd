import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { FORMAT } from './format.ts'

/** Writes the bytes from `offset` on to a file; returns the number of bytes written. Tests simulate a full disk with it. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

/** The `kind` in the first line of a log file. */
export const LOG_KIND = 'convsim journal'

const LOG_HEADER = `${JSON.stringify({ kind: LOG_KIND, format: FORMAT })}\n`

/** One file of the log. Each checkpoint begins the next file, so that entries are dropped by deleting files. */
export interface LogFile {
  readonly path: string
  /** 1, 2, 3, ... */
  readonly generation: number
  /** The length of the complete entries. Bytes behind them were never acknowledged. */
  readonly bytes: number
}

/**
 * The append side of the write-ahead log. Appends are synchronous: an append to the system's cache takes some microseconds,
 * a tenth of a trip through the thread pool, and a command is decided, appended and applied in one turn of the event loop.
 */
export class WriteAheadLog {
  readonly #base: string
  readonly #write: WriteBytes
  #old: LogFile[]
  #generation: number
  #fd: number
  #bytes: number
  /** True: a failed append left bytes behind the last complete entry. */
  #isTorn = false
  /** Appended text is encoded into this buffer, which is reused so that the garbage collector has no work. */
  readonly #buffer = Buffer.allocUnsafeSlow(64 * 1024)

  /** Continues the last of the files found, or begins the first file. */
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

  /** The bytes that a start would have to replay. */
  get bytes(): number {
    return this.#old.reduce((sum, { bytes }) => sum + bytes, this.#bytes)
  }

  get isEmpty(): boolean {
    return this.bytes <= LOG_HEADER.length
  }

  /** Appends all of the lines. Throws, with none of them appended, if the write fails. */
  append(lines: string): void {
    if (this.#isTorn) this.#truncate()
    const bytes = this.#encode(this.#bytes === 0 ? LOG_HEADER + lines : lines)
    try {
      for (let written = 0; written < bytes.length; ) written += this.#write(this.#fd, bytes, written)
    } catch (error) {
      this.#isTorn = true
      this.#tryToTruncate()
      throw error
    }
    this.#bytes += bytes.length
  }

  #encode(text: string): Uint8Array {
    const buffer = this.#buffer
    if (text.length * 3 > buffer.length) return Buffer.from(text) // 3 bytes is the most that a code unit takes
    return buffer.subarray(0, buffer.write(text))
  }

  /** Truncates the bytes that a failed append left behind. */
  #truncate(): void {
    ftruncateSync(this.#fd, this.#bytes)
    this.#isTorn = false
  }

  #tryToTruncate(): void {
    try {
      this.#truncate()
    } catch {
      // The next append truncates first, and fails if that fails again.
    }
  }

  /** Makes later entries go to a new file. */
  rotate(): void {
    if (this.#isTorn) this.#truncate()
    const path = logPath(this.#base, this.#generation)
    const fd = openSync(logPath(this.#base, this.#generation + 1), 'a')
    closeSync(this.#fd)
    this.#old.push({ path, generation: this.#generation, bytes: this.#bytes })
    this.#generation += 1
    this.#fd = fd
    this.#bytes = 0
  }

  /** Deletes the files before the current one, once a checkpoint contains their entries. */
  async dropOld(): Promise<void> {
    const dropped = this.#old
    for (const { path } of dropped) await rm(path, { force: true })
    this.#old = this.#old.filter((file) => !dropped.includes(file))
  }

  async close(): Promise<void> {
    closeSync(this.#fd)
    if (this.isEmpty) await rm(logPath(this.#base, this.#generation), { force: true })
  }
}

/** Returns the path of a log file: `state.json.journal.7` beside `state.json`. */
function logPath(base: string, generation: number): string {
  return `${base}.journal.${generation}`
}
