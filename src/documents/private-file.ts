import { constants } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { reasonOf } from '../core/result.ts'

/** The mode of files with stored or recorded data: their owner alone can read and write them. */
export const PRIVATE_FILE = 0o600

/** The mode of folders that are created for such files. */
export const PRIVATE_FOLDER = 0o700

/** The bits of a mode with which others than the owner can use a file. */
const ofOthers = 0o077

/** The pattern of a path that stands for an open file of the process, such as a log that a shell gave it as stdout. */
const openFile = /^\/dev\/(?:std(?:out|err)|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/

/**
 * Writes a file that its owner alone can read, in place of one that is there. Its mode is set before its content is
 * replaced. A device or a pipe gets the content and keeps its mode. So does an open file of the process, such as
 * `/dev/stdout`, whose own content stays, too. Throws if the file cannot be written, or its mode cannot be set.
 */
export async function writePrivateFile(file: string, content: string | AsyncIterable<string>): Promise<void> {
  const opened = await openPrivateFile(file)
  try {
    await writeFile(opened, content)
  } finally {
    await opened.close()
  }
}

async function openPrivateFile(file: string): Promise<FileHandle> {
  if (openFile.test(file)) return open(file, 'a')
  try {
    return await open(file, 'wx', PRIVATE_FILE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // A link that leads nowhere exists, too, and gets the file that it names.
  const existing = await open(file, constants.O_WRONLY | constants.O_CREAT, PRIVATE_FILE)
  try {
    await emptyPrivately(existing)
    return existing
  } catch (error) {
    await existing.close()
    throw error
  }
}

async function emptyPrivately(existing: FileHandle): Promise<void> {
  const stats = await existing.stat()
  if (!stats.isFile()) return
  if ((stats.mode & ofOthers) !== 0)
    await existing.chmod(PRIVATE_FILE).catch((error) => {
      throw new Error(
        `others can read it, and its mode cannot be changed (${reasonOf(error)}). Delete it, or name another file`,
      )
    })
  await existing.truncate()
}
