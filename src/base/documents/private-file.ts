import { constants, createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdtemp, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOpenFile } from './read-file.ts'

/** The modes of files that contain stored or recorded data, and of their folders: accessible only to the owner. */
export const [PRIVATE_FILE, PRIVATE_FOLDER] = [0o600, 0o700]

type Content = string | AsyncIterable<string>

/**
 * Writes a file that only its owner can read. An existing file is replaced only when the new content is complete, so
 * that the old file survives a full disk. Files that cannot be replaced (mounted files, other users' files, files in a
 * read-only folder) are written in place. Devices, pipes and open files of the process (`/dev/stdout`) keep their mode;
 * open files also keep their content. Throws if the file cannot be written, or its mode cannot be set.
 */
export async function writePrivateFile(file: string, content: Content): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  const link = found ? undefined : await lstat(file).catch(() => undefined)
  const isReplaceable = found ? found.isFile() : !link?.isSymbolicLink() // a dangling link is kept
  if (isOpenFile(file) || !isReplaceable) return writeInPlace(file, content)
  const path = found ? await realpath(file) : file
  const folder = await mkdtemp(join(dirname(path), '.convsim-')).catch(throwIfFull)
  if (folder === undefined) return writeInPlace(path, content)
  try {
    const { uid } = await stat(folder)
    if (found && found.uid !== uid) return await writeInPlace(path, content)
    const temporary = join(folder, 'new')
    await writeAndClose(await open(temporary, 'wx', PRIVATE_FILE), content)
    await rename(temporary, path).catch((error) => {
      throwIfFull(error)
      return writeInPlace(path, createReadStream(temporary, 'utf8')) // the path may be a mount point
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Throws if the disk is full, so that the old file is kept. After other errors, callers write the file in place. */
function throwIfFull(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') throw error
}

async function writeInPlace(file: string, content: Content): Promise<void> {
  const isOpen = isOpenFile(file)
  // Writing to a dangling link creates its target.
  const opened = await open(file, isOpen ? 'a' : constants.O_WRONLY | constants.O_CREAT, PRIVATE_FILE)
  await writeAndClose(opened, content, !isOpen)
}

/** Writes a file and syncs it, since some file systems report a full disk only during a sync. */
async function writeAndClose(opened: FileHandle, content: Content, isOverwritten = false): Promise<void> {
  try {
    if (isOverwritten) await restrictAndTruncate(opened)
    await writeFile(opened, content)
    if ((await opened.stat()).isFile()) await opened.sync()
  } finally {
    await opened.close()
  }
}

async function restrictAndTruncate(existing: FileHandle): Promise<void> {
  const stats = await existing.stat()
  if (!stats.isFile()) return
  const isAccessibleToOthers = (stats.mode & 0o077) !== 0
  if (isAccessibleToOthers) await existing.chmod(PRIVATE_FILE)
  await existing.truncate()
}
