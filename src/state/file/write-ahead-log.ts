import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { historySeed, SEAL, sealLine } from './checksum.ts'
import { syncFolder } from './folder.ts'
import { FORMAT } from './format.ts'
import { GroupSync } from './group-sync.ts'
import { markLog } from './log-mark.ts'
import { findLogLoss, LogLostError, publish } from './log-ownership.ts'
import { PRIVATE_FILE } from './private-file.ts'

/** Writes the bytes from `offset` on to a file; returns the number of bytes written. Tests simulate a full disk with it. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

/** The `kind` in the first line of a log file. */
export const LOG_KIND = 'convsim journal'

/** One file of the log. Each checkpoint begins the next file, so that entries are dropped by deleting files. */
export interface LogFile {
  readonly path: string
  /** 1, 2, 3, ... */
  readonly generation: number
  /** The length in bytes. */
  readonly bytes: number
}

/** The parts of a log to continue. */
export interface LogOptions {
  /** The path of the state file. */
  readonly base: string
  /** The id of the state file's history. */
  readonly history: string
  /** The number of the last entry. */
  readonly seq: number
  /** The files of the log, all of whose lines are complete. */
  readonly files: readonly LogFile[]
  /** Says why this process no longer holds the lock. Undefined: it holds the lock. */
  readonly findLoss: () => string | undefined
  /** Default: `writeSync` of Node. */
  readonly write?: WriteBytes | undefined
  /** Default: `fdatasync` of Node. */
  readonly syncFile?: SyncFile | undefined
}

/** Makes the content of a file durable. Tests simulate a failing disk with it. */
export type SyncFile = (fd: number) => Promise<void>

/**
 * The append side of the write-ahead log. Appends are synchronous: an append to the system's cache takes some microseconds,
 * a tenth of a trip through the thread pool, and a command is decided, appended and applied in one turn of the event loop.
 */
export class WriteAheadLog {
  readonly #options: LogOptions
  readonly #write: WriteBytes
  readonly #syncFile: SyncFile
  readonly #seed: number
  #old: readonly LogFile[]
  #generation: number
  #seq: number
  /** The current file. Undefined: the next append creates it. */
  #fd: number | undefined
  #bytes = 0
  /** Descriptors of rotated files, which the next sync closes. */
  #rotated: number[] = []
  /** True: a failed append left bytes behind the last complete entry. */
  #isTorn = false
  /** True: the folder is not synced since the current file was created. */
  #isNewFile = false
  readonly #groupSync = new GroupSync(() => this.#syncFiles())
  /** Appended text is encoded into this buffer, which is reused so that the garbage collector has no work. */
  readonly #buffer = Buffer.allocUnsafeSlow(64 * 1024)

  constructor(options: LogOptions) {
    const { files, history, seq, write = writeSync, syncFile = promisify(fdatasync) } = options
    this.#options = options
    this.#write = write
    this.#syncFile = syncFile
    this.#seed = historySeed(history)
    this.#seq = seq
    const last = files.at(-1)
    this.#old = files.slice(0, -1)
    this.#generation = last?.generation ?? 1
    if (last === undefined) return
    this.#fd = openSync(last.path, 'a')
    this.#bytes = last.bytes
  }

  /** The number of the last entry. */
  get seq(): number {
    return this.#seq
  }

  /** The bytes that a start would have to replay. */
  get bytes(): number {
    return this.#old.reduce((sum, { bytes }) => sum + bytes, this.#bytes)
  }

  get isEmpty(): boolean {
    return this.bytes === 0
  }

  get #path(): string {
    return `${this.#options.base}.journal.${this.#generation}`
  }

  /** Says why the log is not this process's any more. It reads the lock file. Undefined: the log is this process's. */
  findLoss(): string | undefined {
    const fd = this.#fd
    return this.#options.findLoss() ?? (fd === undefined ? undefined : findLogLoss(fd, this.#path))
  }

  /** Appends an entry, given as the members of its JSON without the opening brace. Throws, with nothing appended, if the write fails. */
  append(members: string): void {
    const line = `${SEAL}"seq":${this.#seq + 1},${members}\n`
    if (this.#fd === undefined) this.#createFile(line)
    else this.#appendTo(this.#fd, line)
    this.#seq += 1
  }

  #appendTo(fd: number, line: string): void {
    if (this.#isTorn) this.#truncate()
    const bytes = this.#encode(line)
    try {
      this.#writeAll(fd, bytes)
    } catch (error) {
      this.#isTorn = true
      this.#tryToTruncate()
      throw error
    }
    this.#checkOwnership(fd)
    this.#bytes += bytes.length
  }

  /**
   * Throws if the file was deleted, or if another process takes over the log. That process makes the file read-only before it reads
   * the file: it reads an entry that was written before this check, or the check fails.
   */
  #checkOwnership(fd: number): void {
    const loss = findLogLoss(fd, this.#path)
    if (loss !== undefined) throw new LogLostError(this.#options.findLoss() ?? loss)
  }

  /** Creates the next file with its header and its first entry at once, so that no file without a header is ever found. */
  #createFile(line: string): void {
    const path = this.#path
    const temporary = `${path}.tmp`
    rmSync(temporary, { force: true })
    const fd = openSync(temporary, 'ax', PRIVATE_FILE)
    try {
      const header = { kind: LOG_KIND, format: FORMAT, history: this.#options.history, seq: this.#seq }
      const first = Buffer.from(this.#encode(`${SEAL}${JSON.stringify(header).slice(1)}\n`))
      const bytes = Buffer.concat([first, this.#encode(line)])
      this.#writeAll(fd, bytes)
      publish(temporary, path)
      this.#checkLock(path)
      markLog(this.#options.base, this.#generation) // after the file exists, so that a crash leaves no mark of a missing file
      this.#bytes = bytes.length
    } catch (error) {
      closeSync(fd)
      rmSync(temporary, { force: true })
      throw error
    }
    this.#fd = fd
    this.#isNewFile = true
  }

  /** Removes a new log file and throws, if another process has the lock. */
  #checkLock(path: string): void {
    const loss = this.#options.findLoss()
    if (loss === undefined) return
    rmSync(path, { force: true })
    throw new LogLostError(loss)
  }

  #writeAll(fd: number, bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) written += this.#write(fd, bytes, written)
  }

  /** Encodes a line with its checksum. The bytes are valid until the next call. */
  #encode(line: string): Buffer {
    const fits = line.length * 3 <= this.#buffer.length // 3 bytes is the most that a code unit takes
    const bytes = fits ? this.#buffer.subarray(0, this.#buffer.write(line)) : Buffer.from(line)
    sealLine(bytes, this.#seed)
    return bytes
  }

  /** Truncates the bytes that a failed append left behind. */
  #truncate(): void {
    if (this.#fd !== undefined) ftruncateSync(this.#fd, this.#bytes)
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
    if (this.#fd === undefined) return
    if (this.#isTorn) this.#truncate()
    this.#old = [...this.#old, { path: this.#path, generation: this.#generation, bytes: this.#bytes }]
    this.#rotated.push(this.#fd)
    this.#generation += 1
    this.#fd = undefined
    this.#bytes = 0
  }

  /** Makes all appended entries durable. All calls that wait for their turn share one sync. */
  sync(): Promise<void> {
    return this.#groupSync.request()
  }

  async #syncFiles(): Promise<void> {
    const rotated = this.#rotated
    this.#rotated = []
    const isNewFile = this.#isNewFile
    this.#isNewFile = false
    try {
      for (const fd of [...rotated, ...(this.#fd === undefined ? [] : [this.#fd])]) await this.#syncFile(fd)
      if (isNewFile) await syncFolder(dirname(this.#options.base))
    } finally {
      for (const fd of rotated) closeSync(fd)
    }
  }

  /** Deletes the files before the current one, once a checkpoint contains their entries. The checkpoint has no mark of the current one. */
  async dropOld(): Promise<void> {
    if (this.#fd !== undefined) markLog(this.#options.base, this.#generation)
    const dropped = this.#old
    for (const { path } of dropped) await rm(path, { force: true })
    this.#old = this.#old.filter((file) => !dropped.includes(file))
  }

  async close(): Promise<void> {
    await this.#groupSync.settle()
    for (const fd of this.#rotated) closeSync(fd)
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}
