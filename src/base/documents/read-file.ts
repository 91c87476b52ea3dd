import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { Socket } from 'node:net'

/** A path that does not lead to an ordinary file, or leads to one that is too large. Its message lacks its subject. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
}

/** Reads a file. Throws an `UnusableFileError` for a pipe, a socket, a device or a folder, without waiting for it. */
export function readOrdinaryFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const fd = openWithoutWaiting(path)
  try {
    const problem = findFileProblem(fstatSync(fd), maxBytes)
    if (problem !== undefined) throw new UnusableFileError(problem)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The pattern of a path that stands for an open file of the process, such as a log that a shell gave it as stdout. */
const openFile = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/

/** Returns true for a path that stands for an open file of the process: `/dev/stdout`, or `<(...)` of a shell. */
export const isOpenFile = (path: string): boolean => openFile.test(path)

/** Reads a file as `readOrdinaryFile` does, and also a pipe that the process was started with: `<(zcat a.har.gz)`. */
export async function readFileOrPipe(path: string, maxBytes: number): Promise<Buffer> {
  if (!isOpenFile(path) || !statSync(path).isFIFO()) return readOrdinaryFile(path, maxBytes)
  const pieces: Buffer[] = []
  let length = 0
  // Not as a file: a thread that waits for a pipe keeps the process from ending on a signal.
  for await (const piece of new Socket({ fd: openWithoutWaiting(path), readable: true })) {
    length += piece.length
    if (length > maxBytes) throw new UnusableFileError(describeTooLarge(maxBytes))
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Opens a file; a pipe without anybody at its other end, too. Windows has neither such pipes nor the flag. */
function openWithoutWaiting(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw new UnusableFileError(describeKind('socket'))
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
