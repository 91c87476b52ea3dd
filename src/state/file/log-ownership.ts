import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { systemErrorCode } from './state-file-error.ts'

/** This process no longer owns the log, for the reason in the message. Entries in it may be lost, or another process writes them. */
export class LogLostError extends Error {
  override readonly name = 'LogLostError'
}

/** Gives a complete file its name. A file that has the name already is another process's. */
export function publish(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    const isTaken = systemErrorCode(error) === 'EEXIST' || existsSync(path)
    if (isTaken) throw new LogLostError(`another process created ${path}`, { cause: error })
    renameSync(temporary, path) // a file system without hard links
    return
  }
  rmSync(temporary)
}
