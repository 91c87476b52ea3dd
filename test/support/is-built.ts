import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The files and folders that a build reads. A change of the installed packages changes the lock file. */
const inputs = [
  'src',
  'spec',
  'fixtures',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.types.json',
]

/** The file that a build writes last. */
const LAST = 'dist/index.d.cts'

/** Returns true if `dist/` of a checkout is newer than all that a build reads. */
export function isBuilt(root: string): boolean {
  const built = statSync(join(root, LAST), { throwIfNoEntry: false })
  return built !== undefined && inputs.every((input) => isOlder(join(root, input), built.mtimeMs))
}

/** Returns true if a file, or a folder with all that is in it, was last changed before `time`. A removed file changes its folder. */
function isOlder(path: string, time: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return true
  if (stats.mtimeMs >= time) return false
  return !stats.isDirectory() || readdirSync(path).every((name) => isOlder(join(path, name), time))
}
