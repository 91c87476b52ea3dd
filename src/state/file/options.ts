import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Writes the bytes from `offset` on; returns the number of bytes written. Tests simulate a full disk with it. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

/** Makes the content of a file durable. Tests simulate a failing disk with it. */
export type SyncFile = (file: FileHandle) => Promise<void>

/** The options of a store in a file. */
export interface FileStoreOptions {
  /** Receives a sentence about each failure in the background, such as that of a checkpoint. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The size of the log, in bytes, below which no checkpoint is written before the store closes. Default: 4 MiB. */
  readonly checkpointFrom?: number
  /** The largest length of a prompt in characters; a change has at most three times as many bytes. Default: 2^27. */
  readonly maxRecordLength?: number
  /** Acknowledges a write once its change is on the disk, so that a power failure cannot lose it. Default: false. */
  readonly sync?: boolean
  /** Writes bytes to the log, for tests. Default: `writeSync` of Node. */
  readonly write?: WriteBytes
  /** Makes a file of the log durable, for tests. Default: `fdatasync` of Node. */
  readonly syncFile?: SyncFile
}

/** The options of a store in a file, with a value for each. */
export type CompleteOptions = Required<FileStoreOptions>

export const DEFAULT_OPTIONS: CompleteOptions = {
  report: () => undefined,
  checkpointFrom: 4 * 1024 * 1024,
  maxRecordLength: 2 ** 27, // a line is read as a string, for which Node takes at most 2^29 - 24 bytes
  sync: false,
  write: writeSync,
  syncFile: (file) => file.datasync(),
}
