import {
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../../core/result.ts'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { historySeed, SEAL, sealLine } from './checksum.ts'
import { LINE_BREAK, syncFolder } from './disk.ts'
import { FORMAT } from './state-text.ts'

/** Writes the bytes from `offset` on; returns the number of bytes written. Tests simulate a full disk with it. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

/** Makes the content of a file durable. Tests simulate a failing disk with it. */
export type SyncFile = (fd: number) => Promise<void>

/** The `kind` in the first line of a log. */
export const LOG_KIND = 'convsim journal'

/** The parts of a log. */
interface LogOptions {
  readonly path: string
  /** Says why this process no longer holds the lock, or returns undefined. */
  readonly findLoss: () => string | undefined
  /** Makes each change wait for the disk before it is acknowledged. */
  readonly sync: boolean
  /** Default: `writeSync` of Node. */
  readonly write?: WriteBytes | undefined
  /** Default: `fdatasync` of Node. */
  readonly syncFile?: SyncFile | undefined
}

/** This process no longer owns the log, for the reason in the message. */
export class LogLostError extends Error {
  override readonly name = 'LogLostError'
}

/** The bit of a file's mode that a process clears before it takes over the log. */
const OWNER_WRITES = 0o200

/**
 * The append side of the write-ahead log. Appends are synchronous: an append to the system's cache takes some
 * microseconds, a tenth of a trip through the thread pool.
 */
export class WriteAheadLog {
  readonly #options: LogOptions
  readonly #syncFile: SyncFile
  #seed = 0
  /** The descriptor of the file. Undefined before `begin`. */
  #fd: number | undefined
  #headerBytes = 0
  /** The length of the file in bytes. */
  bytes = 0
  /** The last sync of the file, and that of its name in the folder. */
  #syncing: Promise<void> = Promise.resolve()
  #naming: Promise<void> = Promise.resolve()

  constructor(options: LogOptions) {
    this.#options = options
    this.#syncFile = options.syncFile ?? promisify(fdatasync)
  }

  get isBegun(): boolean {
    return this.#fd !== undefined
  }

  get isEmpty(): boolean {
    return this.bytes === this.#headerBytes
  }

  /**
   * Begins a new file after entry `seq`, with the entries that stand in the bytes `from` to `to` of the present file;
   * by default in all from `from` on, also those that are appended meanwhile. The new file takes the place of the
   * present one, so that a process that lost its lock has no name for its own.
   */
  async begin(history: string, seq: number, from: number, to = this.bytes): Promise<void> {
    const { path, sync, findLoss } = this.#options
    const temporary = `${path}.tmp`
    const old = this.#fd
    this.#seed = historySeed(history)
    await rm(temporary, { force: true }) // of a process that died, or a link that another program made
    const fd = openSync(temporary, 'ax', PRIVATE_FILE)
    try {
      const header = this.#seal(JSON.stringify({ kind: LOG_KIND, format: FORMAT, history, seq }).slice(1))
      writeAll(fd, header)
      let bytes = header.length + copyEntries(path, from, to, fd)
      await promisify(fsync)(fd)
      if (old !== undefined && this.bytes > to) {
        bytes += copyEntries(path, to, this.bytes, fd)
        if (sync) fsyncSync(fd)
      }
      const loss = findLoss()
      if (loss !== undefined) throw new LogLostError(loss)
      renameSync(temporary, path)
      this.#fd = fd
      this.bytes = bytes
      this.#headerBytes = header.length
    } catch (error) {
      closeSync(fd)
      await rm(temporary, { force: true })
      throw error
    }
    if (old !== undefined) void this.#syncing.finally(() => closeSync(old)).catch(() => undefined) // told to its caller
    this.#naming = syncFolder(dirname(path))
    await this.#naming
    const loss = findLoss() // another process may have taken the lock just before the file was replaced
    if (loss !== undefined) throw new LogLostError(loss)
  }

  /** Returns the line of an entry. `members`: the members of its JSON but `seq`, with the closing brace. */
  encode(seq: number, members: string | Buffer): Buffer {
    return this.#seal(`"seq":${seq},`, members)
  }

  #seal(head: string, members: string | Buffer = ''): Buffer {
    const line =
      typeof members === 'string'
        ? Buffer.from(`${SEAL}${head}${members}\n`)
        : Buffer.concat([Buffer.from(SEAL + head), members, Buffer.of(LINE_BREAK)])
    sealLine(line, this.#seed)
    return line
  }

  /** Appends lines by one write. Throws, with nothing appended, if the write fails. */
  append(lines: readonly Buffer[]): void {
    const fd = this.#descriptor
    const bytes = Buffer.concat(lines)
    try {
      writeAll(fd, bytes, this.#options.write)
    } catch (error) {
      this.#cutOff(fd)
      throw error
    }
    this.bytes += bytes.length
    this.checkOwner()
  }

  /** Takes the lines of the last append off again. */
  takeBack(lines: readonly Buffer[]): void {
    for (const { length } of lines) this.bytes -= length
    this.#cutOff(this.#descriptor)
  }

  /** Truncates what a failed write left behind. */
  #cutOff(fd: number): void {
    try {
      ftruncateSync(fd, this.bytes)
    } catch (error) {
      throw new LogLostError('its log cannot be truncated after a write that failed', { cause: error })
    }
  }

  /**
   * Throws if the file was deleted or cut, or if another process takes over the log. That process makes the file
   * read-only before it reads the file: it reads an entry that was written before this check, or the check fails. One
   * `fstat` takes half a microsecond.
   */
  checkOwner(): void {
    const loss = this.#findFileLoss()
    if (loss !== undefined) throw new LogLostError(this.#options.findLoss() ?? loss)
  }

  /** Says why the log is not this process's any more, if so, by the lock file and by the name of the log. */
  findLoss(): string | undefined {
    return this.#options.findLoss() ?? this.#findFileLoss() ?? this.#findNameLoss()
  }

  #findFileLoss(): string | undefined {
    const { path } = this.#options
    const { nlink, mode, size } = fstatSync(this.#descriptor)
    if (nlink === 0) return `its log ${path} was removed`
    if ((mode & OWNER_WRITES) === 0) return `another process reads its log ${path}`
    return size === this.bytes ? undefined : `another program changed its log ${path}`
  }

  /** Notices that the file has another name now, or one that cannot be read, under which no start would find it. */
  #findNameLoss(): string | undefined {
    const { path } = this.#options
    try {
      const named = statSync(path, { throwIfNoEntry: false })
      const { dev, ino } = fstatSync(this.#descriptor)
      if (named?.ino === ino && named.dev === dev) return undefined
      return `its log ${path} was ${named === undefined ? 'moved away' : 'replaced'}`
    } catch (error) {
      return `its log ${path} cannot be found any more (${reasonOf(error)})`
    }
  }

  /** Makes all appended entries durable. */
  async sync(): Promise<void> {
    this.#syncing = this.#syncFile(this.#descriptor)
    await this.#syncing
    await this.#naming
  }

  get #descriptor(): number {
    if (this.#fd === undefined) throw new Error('the log was not begun')
    return this.#fd
  }

  async close(): Promise<void> {
    await this.#syncing.catch(() => undefined) // told to its caller
    closeSync(this.#descriptor)
  }
}

function writeAll(fd: number, bytes: Uint8Array, write: WriteBytes = writeSync): void {
  for (let written = 0; written < bytes.length; ) written += write(fd, bytes, written)
}

/** Appends bytes of a log to another file, with a line break if the last entry lacks its own. Returns their number. */
function copyEntries(path: string, from: number, to: number, fd: number): number {
  if (from >= to) return 0
  const source = openSync(path, 'r')
  const buffer = Buffer.alloc(Math.min(to - from, 1024 * 1024))
  let last: number | undefined
  try {
    for (let at = from; at < to; ) {
      const piece = buffer.subarray(0, readSync(source, buffer, 0, Math.min(buffer.length, to - at), at))
      if (piece.length === 0) throw new Error(`the log ${path} was cut`)
      writeAll(fd, piece)
      at += piece.length
      last = piece.at(-1)
    }
  } finally {
    closeSync(source)
  }
  if (last === LINE_BREAK) return to - from
  writeAll(fd, Buffer.of(LINE_BREAK))
  return to - from + 1
}
