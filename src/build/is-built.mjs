/** Lets `npm start`, `npm test` and an installation run a build only if a source is newer than `dist/`. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folders and files that a build reads. The lock file stands in for the installed packages. */
const folders = ['src', 'spec', 'fixtures']
const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']

/** The file whose modification time records the build's start, so that sources changed during the build are newer. */
export const STAMP = 'index.d.cts'

/** Returns the time of the last change to a file or folder, in epoch milliseconds, or 0 if it does not exist. */
export const changedAt = (/** @type {string[]} */ ...path) =>
  statSync(join(...path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Returns true if `dist/` is newer than everything that a build reads. Removing a file updates its folder's time.
 * @param {string} root
 */
export function isBuilt(root) {
  const found = folders.map((folder) => join(root, folder)).filter((folder) => existsSync(folder))
  const inside = found.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
  const built = changedAt(root, 'dist', STAMP)
  return [...files.map((file) => join(root, file)), ...found, ...inside].every((path) => changedAt(path) < built)
}
