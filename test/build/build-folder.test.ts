// @module-tag long
import { cp, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createBuildFolder, putInPlace } from '../../src/build/build-folder.ts'
import { isBuilt } from '../../src/build/is-built.mjs'
import { npm } from '../support/npm.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Dates a folder back by two hours, as if its build had been killed then. */
const dateBack = (folder: string) => utimes(folder, new Date(), new Date(Date.now() - 7_200_000))

test('a build removes the folders of builds that were killed, and no others', async () => {
  const checkout = await tempFolder()
  for (const name of ['dist', 'dist.build-new', 'dist.build-old', 'dist.build-old-old-1', 'other'])
    await mkdir(join(checkout, name, 'console'), { recursive: true })
  for (const name of ['dist', 'dist.build-old', 'dist.build-old-old-1', 'other']) await dateBack(join(checkout, name))
  const folder = basename(await createBuildFolder(checkout))
  expect((await readdir(checkout)).sort()).toEqual(['dist', 'dist.build-new', folder, 'other'].sort())
})

test('a build takes the place of dist/ as a whole, also of none, and while others do the same', async () => {
  const checkout = await tempFolder()
  const dist = join(checkout, 'dist')
  const builds = Array.from({ length: 10 }, (_, index) => join(checkout, `build-${index}`))
  for (const folder of builds) {
    await mkdir(folder)
    await writeFile(join(folder, `of-${folder.at(-1)}`), '')
  }
  const [first = '', ...others] = builds
  await putInPlace(first, dist)
  expect(await readdir(dist)).toEqual(['of-0'])
  await Promise.all(others.map((folder) => putInPlace(folder, dist)))
  expect(await readdir(dist)).toHaveLength(1)
  expect(await readdir(checkout)).toEqual(['dist'])
})

/** Creates a checkout that can be built: a copy of the sources, with the installed packages of this one. */
async function copyCheckout(): Promise<string> {
  const folder = await tempFolder()
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']
  for (const name of ['src', 'spec', 'fixtures', ...files])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await utimes(join(folder, 'package-lock.json'), 1000, 1000) // older than the installation, which would begin again
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

test('npm start twice at once builds and serves twice; a build that is killed leaves nothing that stays', async () => {
  const checkout = await copyCheckout()
  const start = () => npm(checkout, 'start', '--', '--port', '0', '--state', ':memory:')
  const builds = async () => (await readdir(checkout)).filter((name) => name.startsWith('dist'))

  const killed = npm(checkout, 'run', 'build')
  while ((await builds()).length === 0) await sleep(20)
  killed.killGroup('SIGKILL')
  await killed.ended
  const [left = '', ...others] = await builds()
  expect([left, others]).toEqual([expect.stringMatching(/^dist\.build-\w+$/), []])
  await dateBack(join(checkout, left))

  const twice = [start(), start()]
  for (const { ready } of twice) expect((await fetch(`${await ready()}/healthz`)).status).toBe(200)
  expect(await builds()).toEqual(['dist'])

  // A server that runs goes on while the next build replaces its files. A source that changes during a build is newer
  // than the build.
  const stamp = async () => (await stat(join(checkout, 'dist/index.d.cts'))).ino
  const source = join(checkout, 'src/base/core/json.ts')
  const before = await stamp()
  await utimes(source, new Date(), new Date())
  const third = start()
  while ((await builds()).length === 1) await sleep(20)
  await utimes(source, new Date(), new Date())
  const origins = [await third.ready(), (await twice[0]?.ready()) ?? '']
  expect([(await stamp()) === before, isBuilt(checkout)]).toEqual([false, false])
  for (const origin of origins) {
    const page = await fetch(`${origin}/__sim/`, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<!doctype html>')])
  }

  // Nothing is newer, so the next one does not build.
  await utimes(source, 1000, 1000)
  const built = await stamp()
  await start().ready()
  expect(await stamp()).toBe(built)
})
