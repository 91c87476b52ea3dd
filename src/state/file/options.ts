import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** The options of a store in a file. */
export interface FileStoreOptions {
  /** Receives a sentence about each failure in the background, such as that of a checkpoint. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The size of the log, in bytes, below which no checkpoint is written before the store closes. Default: 4 MiB. */
  readonly checkpointFrom?: number
  /** Acknowledges a write once its change is on the disk, so that a power failure cannot lose it. Default: false. */
  readonly sync?: boolean
  /** Writes to the log and returns the number of bytes written, for tests of a full disk. Default: `writeSync`. */
  readonly write?: (fd: number, bytes: Uint8Array, offset: number) => number
  /** Makes the log durable, for tests of a failing disk. Default: `fdatasync`. */
  readonly syncFile?: (file: FileHandle) => Promise<void>
}

/** The options of a store in a file, with a value for each. */
export type CompleteOptions = Required<FileStoreOptions>

export const DEFAULT_OPTIONS: CompleteOptions = {
  report: () => undefined,
  checkpointFrom: 4 * 1024 * 1024,
  sync: false,
  write: writeSync,
  syncFile: (file) => file.datasync(),
}
