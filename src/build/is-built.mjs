/** The one rule for `npm start`, an installation and `npm test`: they build only if a source is newer than `dist/`. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folders and files that a build reads. A change of the installed packages changes the lock file. */
const folders = ['src', 'spec', 'fixtures']
const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']

/** The file that has the time at which its build began, so that a source that was changed during the build is newer. */
export const STAMP = 'index.d.cts'

/** Returns the epoch milliseconds of the last change of a file or folder; 0: there is none. */
export const changedAt = (/** @type {string[]} */ ...path) =>
  statSync(join(...path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Returns true if `dist/` of a checkout is newer than all that a build reads. A removed file changes its folder.
 * @param {string} root
 */
export function isBuilt(root) {
  const read = folders.map((folder) => join(root, folder)).filter((folder) => existsSync(folder))
  const inFolders = read.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
  const built = changedAt(root, 'dist', STAMP)
  return [...files.map((file) => join(root, file)), ...read, ...inFolders].every((path) => changedAt(path) < built)
}
