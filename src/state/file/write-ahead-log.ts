/**
 * Writes the write-ahead log, which has a line for each change that is not yet in the state file. Appends are
 * synchronous: a write to the page cache takes a few microseconds, but ten times as long through Node's thread pool.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../../base/core/result.ts'
import { setImmediate } from '../../base/core/timers.ts'
import { PRIVATE_FILE } from '../../base/documents/private-file.ts'
import { describeLoss } from '../store.ts'
import { findEntry, SEAL, sealLine, statOpenFile, syncFolder } from './disk.ts'
import type { Lock } from './lock.ts'

export interface FileStoreOptions {
  /** Called with a sentence about a background failure, such as a failed checkpoint. Default: does nothing. */
  readonly report?: (problem: string) => void
  /** Milliseconds from a change to its checkpoint. Slow checkpoints lengthen this delay. Default: 200. */
  readonly checkpointMs?: number
  /** True to acknowledge a write only after it is on disk, so that it survives a power failure. Default: false. */
  readonly sync?: boolean
  /** Writes to the log. Returns the number of bytes written. Replaced in tests of a full disk. Default: `writeSync`. */
  readonly write?: (fd: number, bytes: Uint8Array, offset: number) => number
  /** Flushes the log to disk. Replaced in tests of a failing disk. Default: `fdatasync`. */
  readonly syncFile?: (fd: number) => Promise<void>
}

export type CompleteOptions = Required<FileStoreOptions>

export const DEFAULT_OPTIONS: CompleteOptions = {
  report: () => undefined,
  checkpointMs: 200,
  sync: false,
  write: writeSync,
  syncFile: promisify(fdatasync),
}

/** The write-ahead log. A checkpoint renames the log file to `oldPath` and deletes the renamed file on success. */
export class WriteAheadLog {
  readonly path: string
  readonly oldPath: string
  readonly #lock: Lock
  readonly #options: CompleteOptions
  /** The current file; undefined before `begin` and after `close`. */
  #file: { readonly fd: number; readonly inode: number } | undefined
  /** The descriptor of the old log, while it is open. */
  #oldFd: number | undefined
  #bytes = 0
  /** True if the files were already checked in this turn of the event loop. */
  #isChecked = false
  #folderSync: Promise<void> = Promise.resolve()
  /** The latest sync. Until it starts, it is also in `#nextSync`. */
  #lastSync: Promise<void> = Promise.resolve()
  #nextSync: Promise<void> | undefined
  /** The reason why this process can no longer write to the files; undefined while it can. */
  lossReason: string | undefined

  constructor(path: string, lock: Lock, options: CompleteOptions) {
    this.path = path
    this.oldPath = `${path}.old`
    this.#lock = lock
    this.#options = options
  }

  begin(): void {
    this.#remove()
    this.#open()
  }

  #open(): void {
    const fd = openSync(this.path, 'ax', PRIVATE_FILE)
    this.#file = { fd, inode: fstatSync(fd).ino }
    this.#bytes = 0
    this.#folderSync = syncFolder(dirname(this.path))
    this.#folderSync.catch(() => undefined) // `sync` reports the error
  }

  /** Makes the current file the old log and starts a new file. Does nothing if no file is open or an old log exists. */
  rotate(): void {
    const old = this.#file
    if (old === undefined || findEntry(this.oldPath) !== undefined) return
    this.checkFiles()
    if (this.#options.sync) fdatasyncSync(old.fd)
    renameSync(this.path, this.oldPath)
    try {
      this.#open()
      this.#oldFd = old.fd
    } catch (error) {
      renameSync(this.oldPath, this.path)
      throw error
    }
  }

  /** Deletes the old log. The state file must already contain its entries. */
  async dropOld(): Promise<void> {
    rmSync(this.oldPath, { force: true })
    await this.#closeOld()
  }

  async #closeOld(): Promise<void> {
    const fd = this.#oldFd
    this.#oldFd = undefined
    await this.#lastSync.catch(() => undefined) // a sync of this file may still be running
    if (fd !== undefined) closeSync(fd)
  }

  /** Throws if the files no longer belong to this process. */
  checkFiles(): void {
    const loss = this.findLoss()
    if (loss !== undefined) throw new Error(loss)
  }

  /**
   * Appends an entry and calls `apply`. `members`: the JSON members that follow `seq`, plus the closing brace. If the
   * write or `apply` fails, tries to truncate the log to its previous length and then throws.
   */
  append(seq: number, members: string, apply: () => void): void {
    if (this.lossReason !== undefined || !this.#file) throw new Error(this.lossReason ?? 'The log is closed.')
    const { fd } = this.#file
    const line = Buffer.from(`${SEAL}"seq":${seq},${members}\n`)
    sealLine(line.subarray(0, -1))
    const start = this.#bytes
    try {
      for (let written = 0; written < line.length; ) written += this.#options.write(fd, line, written)
      this.#bytes += line.length
      this.#checkOncePerTurn()
      apply()
    } catch (error) {
      if (this.lossReason === undefined) this.#truncate(fd, start)
      throw error
    }
  }

  /** Checks the files once per turn of the event loop. Checking after every write would slow a POST by 2%. */
  #checkOncePerTurn(): void {
    if (this.#isChecked) return
    this.checkFiles()
    this.#isChecked = true
    setImmediate(() => {
      this.#isChecked = false
    })
  }

  #truncate(fd: number, length: number): void {
    try {
      ftruncateSync(fd, length)
      this.#bytes = length
    } catch {
      this.#stopWriting('its log could not be truncated after a failed write')
    }
  }

  /** Checks the lock and the log. Returns why this process can no longer write; undefined while it can. */
  findLoss(): string | undefined {
    const loss = this.lossReason ?? this.#lock.findLoss() ?? this.#findLogLoss()
    return loss === undefined ? undefined : this.#stopWriting(loss)
  }

  /** Refuses all later writes. Returns the reason given in the first call. */
  #stopWriting(reason: string): string {
    if (this.lossReason !== undefined) return this.lossReason
    this.lossReason = reason
    this.#options.report(describeLoss(reason))
    return reason
  }

  /** Returns why a restart would not find this process's entries in the log; undefined if it would. */
  #findLogLoss(): string | undefined {
    if (this.#file === undefined) return undefined
    const found = statOpenFile(this.path, this.#file.inode)
    if (typeof found === 'string') return `its log ${found}`
    return found.size === this.#bytes ? undefined : `another program changed its log ${this.path}`
  }

  /** Flushes all appended entries to disk. Calls made during a sync share the next sync. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.catch(() => undefined).then(() => this.#syncFile())
    this.#lastSync = this.#nextSync
    return this.#nextSync
  }

  async #syncFile(): Promise<void> {
    this.#nextSync = undefined
    try {
      if (this.#file !== undefined) await this.#options.syncFile(this.#file.fd)
      await this.#folderSync
    } catch (error) {
      this.#stopWriting(`its log could not be synced to disk (${reasonOf(error)})`)
      throw error
    }
  }

  /** Closes the files, and deletes them if this process still owns them and all their entries are checkpointed. */
  async close(isCheckpointed: boolean): Promise<void> {
    const isOwn = this.findLoss() === undefined
    await this.#closeOld()
    if (this.#file !== undefined) closeSync(this.#file.fd)
    this.#file = undefined
    if (isCheckpointed && isOwn) this.#remove()
  }

  #remove(): void {
    for (const path of [this.path, this.oldPath]) rmSync(path, { force: true })
  }
}
