import { existsSync, renameSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of build folders, and of the builds that they replace, begin so. */
const prefix = 'dist.build-'

/** A build folder that was changed longer ago belongs to a build that was killed, milliseconds. */
const abandonedMs = 3_600_000

/** The most tries to put a build in place while other builds do the same. */
const maxTries = 20

/** Creates the folder of a build beside `dist/`, hence in the same file system, and removes those of killed builds. */
export async function createBuildFolder(root: string): Promise<string> {
  const folder = await mkdtemp(join(root, prefix))
  await chmod(folder, 0o755) // dist/ is read by every user, such as that of the image
  const { mtimeMs: now } = await stat(folder)
  for (const name of await readdir(root)) {
    const found = name.startsWith(prefix) && (await stat(join(root, name)).catch(() => undefined)) // removed meanwhile
    if (found && now - found.mtimeMs > abandonedMs) await rm(join(root, name), { recursive: true, force: true })
  }
  return folder
}

/**
 * Puts a complete build in the place of `dist/`. Node has no call that exchanges two folders, so `dist/` is missing
 * between two renames, for some microseconds: `start.mjs` looks again. Of two builds at once the later one stays.
 */
export async function putInPlace(folder: string, dist: string): Promise<void> {
  for (let count = 1; existsSync(folder); count += 1) {
    const old = `${folder}-old-${count}`
    try {
      if (existsSync(dist)) renameSync(dist, old)
      renameSync(folder, dist)
    } catch (error) {
      if (count === maxTries) throw error // before, another build may have come between
    }
    await rm(old, { recursive: true, force: true })
  }
}
