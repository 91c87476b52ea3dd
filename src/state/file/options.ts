import { fdatasync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** The options of a store in a file. */
export interface FileStoreOptions {
  /** Receives a sentence about each failure in the background, such as that of a checkpoint. Default: no effect. */
  readonly report?: (problem: string) => void
  /** The milliseconds from a change to the checkpoint that has it, unless checkpoints take long. Default: 200. */
  readonly checkpointMs?: number
  /** Acknowledges a write once its change is on the disk, so that a power failure cannot lose it. Default: false. */
  readonly sync?: boolean
  /** Writes to the log and returns the number of bytes written, for tests of a full disk. Default: `writeSync`. */
  readonly write?: (fd: number, bytes: Uint8Array, offset: number) => number
  /** Makes the log durable, for tests of a failing disk. Default: `fdatasync`. */
  readonly syncFile?: (fd: number) => Promise<void>
}

/** The options of a store in a file, with a value for each. */
export type CompleteOptions = Required<FileStoreOptions>

export const DEFAULT_OPTIONS: CompleteOptions = {
  report: () => undefined,
  checkpointMs: 200,
  sync: false,
  write: writeSync,
  syncFile: promisify(fdatasync),
}
