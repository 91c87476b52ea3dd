import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf } from '../../core/result.ts'
import { describeLoss } from '../store.ts'
import { SEAL, sealLine } from './checksum.ts'
import { LINE_BREAK, PIECE_BYTES, replaceFile, syncFolder } from './disk.ts'
import type { Lock } from './lock.ts'
import type { CompleteOptions } from './options.ts'
import { FORMAT } from './state-text.ts'

/** The `kind` in the first line of a log. */
export const LOG_KIND = 'convsim journal'

/**
 * The append side of the write-ahead log. Appends are synchronous: an append to the system's cache takes some
 * microseconds, a tenth of a trip through the thread pool.
 */
export class WriteAheadLog {
  readonly path: string
  readonly #lock: Lock
  readonly #options: CompleteOptions
  #history = ''
  /** The open file, from `begin` on. */
  #file!: FileHandle
  #inode = 0
  /** The length of the file in bytes. 0: no log was begun. */
  bytes = 0
  /** Is true if the file has no entry. */
  isEmpty = true
  /** The last sync of the file's name in the folder. */
  #naming: Promise<void> = Promise.resolve()
  /** The reason why the files are not this process's any more, if so. */
  loss: string | undefined

  constructor(path: string, lock: Lock, options: CompleteOptions) {
    this.path = path
    this.#lock = lock
    this.#options = options
  }

  /**
   * Begins a new file after entry `seq`, with the entries in the bytes `from` to `to` of the present file; by default
   * all from `from` on, also those that are appended meanwhile. The new file takes the place of the present one, so
   * that a process that lost its lock has no name for its own.
   */
  async begin(history: string, seq: number, from: number, to = this.bytes): Promise<void> {
    const { path } = this
    const old = this.bytes > 0 ? this.#file : undefined
    this.#history = history
    const header = this.encode(seq, JSON.stringify({ kind: LOG_KIND, format: FORMAT, history }).slice(1))
    const fill = async ({ fd }: FileHandle) => {
      writeAll(fd, header)
      copyLines(path, from, to, fd)
    }
    await replaceFile(path, 'ax', fill, (temporary, file) => {
      if (this.bytes > to) {
        copyLines(path, to, this.bytes, file.fd)
        if (this.#options.sync) fsyncSync(file.fd)
      }
      this.checkFiles()
      renameSync(temporary, path)
      this.#file = file
      const { size, ino } = fstatSync(file.fd)
      this.bytes = size
      this.#inode = ino
      this.isEmpty = size === header.length
    })
    void old?.close().catch(() => undefined) // waits for a sync of it, which is told to its caller
    this.#naming = syncFolder(dirname(path))
    await this.#naming
    this.checkFiles() // another process may have taken the lock just before the file was replaced
  }

  /** Throws if the files are not this process's any more: none may be replaced then. */
  checkFiles(): void {
    const loss = this.findLoss()
    if (loss !== undefined) throw new Error(loss)
  }

  /** Returns the line of an entry. `members`: the members of its JSON but `seq`, with the closing brace. */
  encode(seq: number, members: string): Buffer {
    const line = Buffer.from(`${SEAL}"seq":${seq},${members}\n`)
    sealLine(line.subarray(0, -1), this.#history)
    return line
  }

  /** Appends lines by one write, and applies them. Throws, with nothing appended, if the write or `apply` fails. */
  append(lines: readonly Buffer[], apply: () => void): void {
    const { fd } = this.#file
    const start = this.bytes
    const bytes = Buffer.concat(lines)
    try {
      writeAll(fd, bytes, this.#options.write)
      this.bytes += bytes.length
      this.checkFiles() // another process takes the lock before it reads the log, so it has read these lines, or this fails
      apply()
      this.isEmpty = false
    } catch (error) {
      if (this.loss === undefined) this.#cutOff(fd, start)
      throw error
    }
  }

  /** Truncates what a failed write left behind. */
  #cutOff(fd: number, length: number): void {
    try {
      ftruncateSync(fd, length)
      this.bytes = length
    } catch {
      this.lose('its log cannot be truncated after a write that failed')
    }
  }

  /** Says why the files are not this process's any more, if so, by the lock file and by the log: two `stat`. */
  findLoss(): string | undefined {
    const loss = this.loss ?? this.#lock.findLoss() ?? this.#findLogLoss()
    return loss === undefined ? undefined : this.lose(loss)
  }

  /** Refuses all further writes, since the files are not this process's any more. Returns the first reason. */
  lose(reason: string): string {
    if (this.loss !== undefined) return this.loss
    this.loss = reason
    this.#options.report(describeLoss(reason))
    return reason
  }

  /** Notices that the file has another name now, or one that cannot be read, under which no start would find it. */
  #findLogLoss(): string | undefined {
    const { path } = this
    if (this.bytes === 0) return undefined
    try {
      const named = statSync(path, { throwIfNoEntry: false })
      if (named === undefined) return `its log ${path} was removed or was moved away`
      if (named.ino !== this.#inode) return `its log ${path} was replaced`
      if (named.size === 0) return `its log ${path} was emptied`
      return named.size === this.bytes ? undefined : `another program changed its log ${path}`
    } catch (error) {
      return `its log ${path} cannot be found any more (${reasonOf(error)})`
    }
  }

  /** Makes all appended entries durable. */
  async sync(): Promise<void> {
    await this.#options.syncFile(this.#file)
    await this.#naming
  }

  /** Closes the file, once it is synced. */
  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Copies bytes of a file that are lines, of which the last may lack its line break, to the end of another file. */
function copyLines(path: string, from: number, to: number, target: number): void {
  if (from >= to) return
  const source = openSync(path, 'r')
  try {
    let piece = Buffer.alloc(0)
    for (let at = from; at < to; at += piece.length) {
      piece = Buffer.alloc(Math.min(to - at, PIECE_BYTES))
      if (readSync(source, piece, 0, piece.length, at) < piece.length) throw new Error(`the log ${path} was cut`)
      writeAll(target, piece)
    }
    if (piece.at(-1) !== LINE_BREAK) writeAll(target, Buffer.of(LINE_BREAK))
  } finally {
    closeSync(source)
  }
}

function writeAll(fd: number, bytes: Uint8Array, write: CompleteOptions['write'] = writeSync): void {
  for (let written = 0; written < bytes.length; ) written += write(fd, bytes, written)
}
