import { existsSync, renameSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of build folders, and of the builds that they replace, begin so. */
const prefix = 'dist.build-'

/** A build folder that was changed longer ago belongs to a build that was killed, milliseconds. */
const abandonedMs = 3_600_000

/** The most tries to put a build in place while other builds do the same. */
const maxTries = 20

/**
 * Creates the folder of a build beside `dist/`, hence in the same file system, and removes those of builds that were
 * killed. `root`: the folder of the checkout.
 */
export async function createBuildFolder(root: string): Promise<string> {
  const folder = await mkdtemp(join(root, prefix))
  await chmod(folder, 0o755) // dist/ is read by every user, such as that of the image
  const { mtimeMs: now } = await stat(folder)
  const folders = (await readdir(root)).filter((name) => name.startsWith(prefix))
  for (const other of folders.map((name) => join(root, name))) {
    const found = await stat(other).catch(() => undefined) // another build may have removed it
    if (found && now - found.mtimeMs > abandonedMs) await rm(other, { recursive: true, force: true })
  }
  return folder
}

/**
 * Puts a complete build in the place of `dist/`. Node has no call that exchanges two folders, so `dist/` is missing
 * between two renames, for some microseconds: `start.mjs` looks again. Of two builds at once the later
 * one stays.
 */
export async function putInPlace(folder: string, dist: string): Promise<void> {
  const replaced: string[] = []
  for (let count = 1; ; count += 1) {
    const old = `${folder}-old-${count}`
    if (renameIfPresent(dist, old)) replaced.push(old)
    try {
      renameSync(folder, dist)
      break
    } catch (error) {
      if (count === maxTries || !existsSync(dist)) throw error // else another build came between
    }
  }
  for (const old of replaced) await rm(old, { recursive: true, force: true })
}

/** Renames a folder. Returns false if it does not exist. */
function renameIfPresent(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
