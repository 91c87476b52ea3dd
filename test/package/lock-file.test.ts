import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './project.ts'

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readFileSync(join(repository, 'package-lock.json'), 'utf8'),
).packages

/** Returns true if the lock file has a package in a `node_modules` folder where Node looks for it. */
function isLocked(dependent: string, name: string): boolean {
  if (`${dependent ? `${dependent}/` : ''}node_modules/${name}` in packages) return true
  return dependent !== '' && isLocked(dependent.slice(0, Math.max(0, dependent.lastIndexOf('/node_modules/'))), name)
}

// npm omits a package from the lock file if the registry lacks its pinned version. `npm ci` then rejects the file.
test('the lock file has the dependencies and optional dependencies of every package', () => {
  const missing = Object.entries(packages).flatMap(([dependent, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(dependent, name))
      .map((name) => `${dependent} needs ${name}`),
  )
  expect(missing).toEqual([])
})
