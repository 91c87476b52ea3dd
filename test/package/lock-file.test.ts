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

/** Returns true if the lock file has a package where Node looks for it: in the dependent's folder, or in a parent. */
function isLocked(user: string, name: string): boolean {
  if (`${user ? `${user}/` : ''}node_modules/${name}` in packages) return true
  return user !== '' && isLocked(user.slice(0, Math.max(0, user.lastIndexOf('/node_modules/'))), name)
}

// npm leaves out packages whose pinned version the registry lacks, and `npm ci` refuses such a lock file everywhere.
test('the lock file has all packages, including those for other platforms, so `npm ci` accepts it', () => {
  const missing = Object.entries(packages).flatMap(([user, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(user, name))
      .map((name) => `${user} needs ${name}`),
  )
  expect(missing).toEqual([])
})
