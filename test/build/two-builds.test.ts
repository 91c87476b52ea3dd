// @module-tag long
import { cp, readdir, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isBuilt } from '../../src/build/is-built.mjs'
import { npm } from '../support/npm.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a checkout that can be built: a copy of the sources, with a link to the repository's `node_modules`. */
async function copyCheckout(): Promise<string> {
  const folder = await tempFolder()
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']
  for (const name of ['src', 'spec', 'fixtures', ...files])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await utimes(join(folder, 'package-lock.json'), 1000, 1000) // older than the installation, so nothing is installed
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

test('two concurrent runs of npm start work, and a later build does not disturb a running server', async () => {
  const checkout = await copyCheckout()
  const start = () => npm(checkout, 'start', '--', '--port', '0', '--state', ':memory:')
  const builds = async () => (await readdir(checkout)).filter((name) => name.startsWith('dist'))

  const servers = [start(), start()]
  for (const { ready } of servers) expect((await fetch(`${await ready()}/healthz`)).status).toBe(200)
  expect(await builds()).toEqual(['dist'])

  // A running server keeps working while the next build replaces `dist/`. A source file that changes during the
  // build counts as newer than the build.
  const buildId = async () => (await stat(join(checkout, 'dist/index.d.cts'))).ino
  const source = join(checkout, 'src/base/core/json.ts')
  const before = await buildId()
  await utimes(source, new Date(), new Date())
  const third = start()
  while ((await builds()).length === 1) await sleep(20)
  await utimes(source, new Date(), new Date())
  const origins = [await third.ready(), (await servers[0]?.ready()) ?? '']
  expect([(await buildId()) === before, isBuilt(checkout)]).toEqual([false, false])
  for (const origin of origins) {
    const page = await fetch(`${origin}/__sim/`, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<!doctype html>')])
  }

  // Now no source is newer than the build, so the next run does not build.
  await utimes(source, 1000, 1000)
  const built = await buildId()
  await start().ready()
  expect(await buildId()).toBe(built)
})
