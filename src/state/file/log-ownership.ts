import { existsSync, fstatSync, linkSync, renameSync, rmSync } from 'node:fs'
import { systemErrorCode } from './state-file-error.ts'

/** This process no longer owns the log, for the reason in the message. Entries in it may be lost, or another process writes them. */
export class LogLostError extends Error {
  override readonly name = 'LogLostError'
}

/** The bit of a file's mode that a process clears before it takes over the log. */
const OWNER_WRITES = 0o200

/** Says why an open log file is not this process's any more: it was deleted, or another process takes over the log. One `fstat` takes half a microsecond. */
export function findLogLoss(fd: number, path: string): string | undefined {
  const { nlink, mode } = fstatSync(fd)
  if (nlink === 0) return `its log ${path} was removed`
  return (mode & OWNER_WRITES) === 0 ? `another process reads its log ${path}` : undefined
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
