/** The one rule for `npm start`, an installation and `npm test`: they build only if a source is newer than `dist/`. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The files and folders that a build reads. A change of the installed packages changes the lock file. */
const inputs = ['src', 'spec', 'fixtures', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']

/** The file that has the time at which its build began, so that a source that was changed during the build is newer. */
export const STAMP = 'index.d.cts'

/**
 * Returns true if `dist/` of a checkout is newer than all that a build reads.
 * @param {string} root
 */
export function isBuilt(root) {
  const built = statSync(join(root, 'dist', STAMP), { throwIfNoEntry: false })
  return built !== undefined && inputs.every((input) => isOlder(join(root, input), built.mtimeMs))
}

/**
 * Returns true if a file, or a folder with all that is in it, was last changed before `time`. A removed file changes
 * its folder.
 * @param {string} path
 * @param {number} time in epoch milliseconds
 */
function isOlder(path, time) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return true
  if (stats.mtimeMs >= time) return false
  return !stats.isDirectory() || readdirSync(path).every((name) => isOlder(join(path, name), time))
}
