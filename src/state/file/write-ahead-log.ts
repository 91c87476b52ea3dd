import { constants } from 'node:buffer'
// As an object, whose functions the tests replace: a full disk, or one that fails.
import fs from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { PRIVATE_FILE } from '../../documents/private-file.ts'
import { syncFolder } from './disk.ts'
import { encodeHeader, type Header, historySeed, sealLine } from './lines.ts'

/** The parts of a log. */
interface LogOptions {
  readonly path: string
  /** Says why this process no longer holds the lock, or returns undefined. */
  readonly findLoss: () => string | undefined
  /** Makes each change wait for the disk before it is acknowledged. */
  readonly sync: boolean
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
  #seed = 0
  /** The descriptor of the file. Undefined before `begin`. */
  #fd: number | undefined
  #headerBytes = 0
  #bytes = 0
  /** The last sync of the file, and that of its name in the folder. */
  #syncing: Promise<void> = Promise.resolve()
  #naming: Promise<void> = Promise.resolve()

  constructor(options: LogOptions) {
    this.#options = options
  }

  get isBegun(): boolean {
    return this.#fd !== undefined
  }

  /** The length of the file in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#bytes === this.#headerBytes
  }

  /**
   * Begins a new file, with the entries that stand from byte `from` of the present file on, also those that are
   * appended meanwhile. The new file takes the place of the present one, so that a process that lost its lock has no
   * name for its own.
   */
  async begin(head: Header, from = this.#bytes): Promise<void> {
    const { path, sync } = this.#options
    const temporary = `${path}.tmp`
    const old = this.#fd
    const header = encodeHeader('convsim journal', head)
    await rm(temporary, { force: true }) // of a process that died, or a link that another program made
    const fd = fs.openSync(temporary, 'ax+', PRIVATE_FILE)
    try {
      writeAll(fd, header)
      const copied = this.#bytes
      this.#copyEntries(fd, from)
      await promisify(fs.fsync)(fd)
      this.#copyEntries(fd, copied)
      if (sync && this.#bytes > copied) fs.fsyncSync(fd)
      this.checkLock()
      fs.renameSync(temporary, path)
    } catch (error) {
      fs.closeSync(fd)
      await rm(temporary, { force: true })
      throw error
    }
    this.#fd = fd
    this.#seed = historySeed(head.history)
    this.#headerBytes = header.length
    this.#bytes += header.length - from
    // The caller of a sync that fails has its error.
    if (old !== undefined) void this.#syncing.finally(() => fs.closeSync(old)).catch(() => undefined)
    this.#naming = syncFolder(dirname(path))
    await this.#naming
    this.checkLock() // another process may have taken the lock just before the file was replaced
  }

  /** Throws if another process has the lock, so that no file may be replaced any more. */
  checkLock(): void {
    const loss = this.#options.findLoss()
    if (loss !== undefined) throw new LogLostError(loss)
  }

  /** Copies the entries from a byte of the present file on to another file. */
  #copyEntries(fd: number, from: number): void {
    const entries = Buffer.alloc(this.#bytes - from)
    if (entries.length === 0) return
    if (fs.readSync(this.#descriptor, entries, 0, entries.length, from) < entries.length)
      throw new Error(`the log ${this.#options.path} was cut`)
    writeAll(fd, entries)
  }

  /** Returns the line of an entry. `members`: the members of its JSON but `seq`, with the closing brace. */
  encode(seq: number, members: string): Buffer {
    const line = sealLine(`"seq":${seq},${members}`, this.#seed)
    if (line.length <= constants.MAX_STRING_LENGTH) return line
    throw new Error(`a change must not have more than ${constants.MAX_STRING_LENGTH} bytes, which a start can read`)
  }

  /** Appends lines by one write. A write that fails can leave a part of them behind. */
  append(lines: readonly Buffer[]): void {
    const bytes = Buffer.concat(lines)
    writeAll(this.#descriptor, bytes)
    this.#bytes += bytes.length
    this.checkOwner()
  }

  /** Takes all bytes behind a length of the file off again. Returns the error if that fails. */
  truncate(bytes: number): LogLostError | undefined {
    try {
      fs.ftruncateSync(this.#descriptor, bytes)
      this.#bytes = bytes
      return undefined
    } catch (cause) {
      return new LogLostError('its log cannot be truncated after a write that failed', { cause })
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
    const { nlink, mode, size } = fs.fstatSync(this.#descriptor)
    if (nlink === 0) return `its log ${path} was removed`
    if ((mode & OWNER_WRITES) === 0) return `another process reads its log ${path}`
    return size === this.#bytes ? undefined : `another program changed its log ${path}`
  }

  /** Notices that the file has another name now, under which no start would find it. */
  #findNameLoss(): string | undefined {
    const { path } = this.#options
    const named = fs.statSync(path, { throwIfNoEntry: false })
    const { dev, ino } = fs.fstatSync(this.#descriptor)
    if (named?.ino === ino && named.dev === dev) return undefined
    return `its log ${path} was ${named === undefined ? 'moved away' : 'replaced'}`
  }

  /** Makes all appended entries durable. */
  async sync(): Promise<void> {
    this.#syncing = promisify(fs.fdatasync)(this.#descriptor)
    await this.#syncing
    await this.#naming
  }

  get #descriptor(): number {
    if (this.#fd === undefined) throw new Error('the log was not begun')
    return this.#fd
  }

  async close(): Promise<void> {
    await this.#syncing.catch(() => undefined) // told to its caller
    fs.closeSync(this.#descriptor)
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written)
}
