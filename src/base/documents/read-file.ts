import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { Socket } from 'node:net'

/** Thrown if a file is not a regular file or is too large. Callers prepend the path to the message. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
}

/** Reads a regular file. Throws an `UnusableFileError`, without blocking, if the file is too large or not regular. */
export function readRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const fd = openWithoutBlocking(path)
  try {
    const problem = findFileProblem(fstatSync(fd), maxBytes)
    if (problem !== undefined) throw new UnusableFileError(problem)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

const openFilePath = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/

/** Returns true for a path to an open file, such as `/dev/stdout` or the path that a shell passes for `<(...)`. */
export const isOpenFile = (path: string): boolean => openFilePath.test(path)

/** Like `readRegularFile`, but also reads a pipe that the process inherited, such as `<(zcat a.har.gz)`. */
export async function readFileOrPipe(path: string, maxBytes: number): Promise<Buffer> {
  if (!isOpenFile(path) || !statSync(path).isFIFO()) return readRegularFile(path, maxBytes)
  const pieces: Buffer[] = []
  let length = 0
  // The pipe is read as a socket, since a thread blocked on a pipe would keep the process from exiting on a signal.
  for await (const piece of new Socket({ fd: openWithoutBlocking(path), readable: true })) {
    length += piece.length
    if (length > maxBytes) throw new UnusableFileError(describeTooLarge(maxBytes))
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Opens a file without blocking, even a pipe that has no writer. Windows has neither such pipes nor `O_NONBLOCK`. */
function openWithoutBlocking(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw new UnusableFileError(describeKind('socket'))
    throw error
  }
}

/** Returns why a file cannot be read (reading a device or pipe might never end), or undefined if it can. */
function findFileProblem(stats: Stats, maxBytes: number): string | undefined {
  if (stats.isDirectory()) return describeKind('folder')
  if (!stats.isFile()) return describeKind(stats.isFIFO() ? 'pipe' : 'device')
  return stats.size > maxBytes ? describeTooLarge(maxBytes) : undefined
}

const describeKind = (kind: string) => `is a ${kind}; expected a regular file`

const describeTooLarge = (maxBytes: number) => `is larger than ${maxBytes / 1024 / 1024} MiB`
