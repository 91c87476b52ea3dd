import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs'
import { sleep } from '../core/timers.ts'

/** A path that does not lead to an ordinary file, or leads to one that is too large. Its message lacks its subject. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
}

/**
 * Reads a file. Throws an `UnusableFileError` for a pipe, a socket, a device or a folder, and at once: to open a pipe
 * that nobody writes to waits otherwise, and a process that waits so does not even end on a signal.
 */
export function readOrdinaryFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const fd = openWithoutWaiting(path, constants.O_RDONLY)
  try {
    return readOpenFile(fd, maxBytes)
  } finally {
    closeSync(fd)
  }
}

function readOpenFile(fd: number, maxBytes: number): Buffer {
  const problem = findFileProblem(fstatSync(fd), maxBytes)
  if (problem !== undefined) throw new UnusableFileError(problem)
  return readFileSync(fd)
}

/** The pattern of a path that stands for an open file of the process, such as a log that a shell gave it as stdout. */
const openFile = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/

/** Returns true for a path that stands for an open file of the process: `/dev/stdout`, or `<(...)` of a shell. */
export const isOpenFile = (path: string): boolean => openFile.test(path)

/** Reads a file as `readOrdinaryFile` does, and also a pipe that the process was started with: `<(zcat a.har.gz)`. */
export async function readFileOrPipe(path: string, maxBytes: number): Promise<Buffer> {
  const fd = openWithoutWaiting(path, constants.O_RDONLY)
  try {
    const isPipe = isOpenFile(path) && fstatSync(fd).isFIFO()
    return isPipe ? await readPipe(fd, maxBytes) : readOpenFile(fd, maxBytes)
  } finally {
    closeSync(fd)
  }
}

/** The milliseconds for which a pipe may be silent. */
const pipeTimeoutMs = 10_000

/** The milliseconds between two attempts to read from a pipe, or to write to it. */
const retryMs = 10

/** Calls an operation on a pipe until it need not wait, or until `pipeTimeoutMs` are over. Signals are heard. */
export async function untilReady<T>(operation: () => T, problem: string): Promise<T> {
  for (let waitedMs = 0; waitedMs < pipeTimeoutMs; waitedMs += retryMs) {
    try {
      return operation()
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'EAGAIN' && code !== 'ENXIO') throw error
    }
    await sleep(retryMs)
  }
  throw new UnusableFileError(`${problem} for ${pipeTimeoutMs / 1000} s`)
}

async function readPipe(fd: number, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let length = 0; length <= maxBytes; ) {
    const piece = Buffer.allocUnsafe(64 * 1024)
    const read = await untilReady(() => readSync(fd, piece), 'is a pipe to which nothing was written')
    if (read === 0) return Buffer.concat(pieces)
    pieces.push(piece.subarray(0, read))
    length += read
  }
  throw new UnusableFileError(describeTooLarge(maxBytes))
}

/** Opens a file; a pipe without anybody at its other end, too. Windows has neither such pipes nor the flag. */
export function openWithoutWaiting(path: string, flags: number): number {
  try {
    return openSync(path, flags | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const isRead = flags === constants.O_RDONLY
    if (isRead && (error as NodeJS.ErrnoException).code === 'ENXIO') throw new UnusableFileError(describeKind('socket'))
    throw error
  }
}

/** Returns why a file is not read (a device or a pipe need not have an end), or undefined if it can be read. */
function findFileProblem(stats: Stats, maxBytes: number): string | undefined {
  if (stats.isDirectory()) return describeKind('folder')
  if (!stats.isFile()) return describeKind(stats.isFIFO() ? 'pipe' : 'device')
  return stats.size > maxBytes ? describeTooLarge(maxBytes) : undefined
}

const describeKind = (kind: string) => `is a ${kind}; an ordinary file is expected`

const describeTooLarge = (maxBytes: number) => `is larger than ${maxBytes / 1024 / 1024} MiB`
