import { open, stat } from 'node:fs/promises'

/** The beginning of a file, in bytes, by which its content is told. */
const headBytes = 4096

/**
 * Returns true for a file that may be overwritten: it is not there, it is empty, or its beginning is that of a file
 * which we write. So a slip of the hand costs nobody a file. A device or a pipe has nothing to lose, either.
 */
export async function mayOverwrite(file: string, isOurs: (beginning: string) => boolean): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile() || found.size === 0) return true
  const opened = await open(file, 'r').catch(() => undefined)
  if (!opened) return false
  try {
    const { bytesRead, buffer } = await opened.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return isOurs(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await opened.close()
  }
}
