// @module-tag long
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type NpmCommand, npm } from '../support/npm.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A checkout without dependencies, so that no test builds `dist/` while others use it. */
async function checkoutWith(built: readonly string[]): Promise<string> {
  const folder = await tempFolder()
  await mkdir(join(folder, 'src/build'), { recursive: true })
  for (const file of ['package.json', ...['prepare', 'is-built', 'start'].map((name) => `src/build/${name}.mjs`)])
    await cp(join(root, file), join(folder, file))
  for (const name of built) await symlink(join(root, name), join(folder, name))
  return folder
}

/** Resolves to the port of a server that npm has started. */
const portOf = async ({ ready }: NpmCommand) => Number(new URL(await ready()).port)

const serve = ['start', '--', '--port', '0', '--state', ':memory:']

/** Listens on a port; rejects where it is taken. */
async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}

const signals = ['SIGTERM', 'SIGINT'] as const

test.each(signals)('%s to npm alone stops the server before npm ends', async (signal) => {
  const command = npm(await checkoutWith(['dist']), ...serve)
  const port = await portOf(command)
  command.process.kill(signal)
  await once(command.process, 'exit')
  await listenOn(port)
})

test.each(signals)(
  '%s to the group, as Ctrl-C sends it, ends with report, code of --fail-on and "stopped"',
  async (signal) => {
    const folder = await checkoutWith(['dist'])
    for (let count = 0; count < 4; count += 1) {
      const report = join(folder, `${count}.json`)
      // npm sends its copy at once; the stop takes longer.
      const flags = ['--drain', '200ms', '--report', report, '--fail-on', 'unexpected']
      const { ended, killGroup, ready, output } = npm(folder, ...serve, ...flags)
      await fetch(`${await ready()}/v1/nowhere`)
      killGroup(signal)
      expect(await ended).toBe(3)
      expect(output()).toContain('"stopped"')
      expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1 })
    }
  },
)

test.each(['0s', '3500ms'])('the server stops if npm is killed, and a stop of %s is not cut off', async (drain) => {
  const command = npm(await checkoutWith(['dist']), ...serve, '--drain', drain)
  const port = await portOf(command)
  await command.stop('SIGKILL') // the server has npm's output open until it ends, too
  expect(command.output()).toContain('"stopped"')
  await listenOn(port)
})

test('npm start without development dependencies serves what is built, and says why it does not build', async () => {
  const { ready, output } = npm(await checkoutWith(['dist']), ...serve)
  expect((await fetch(`${await ready()}/healthz`)).status).toBe(200)
  expect(output()).toMatch(/convsim is not built again, and dist\/ stays as it is: .*--omit=dev.*npm ci --include=dev/)
})

test.each([
  ['npm start with nothing built ends with', serve, 1, /is not built: .*npm ci --include=dev[\s\S]*dist\/cli\.js is/],
  ['an installation without them builds nothing, and ends with', ['run', 'dependencies'], 0, /npm ci --include=dev/],
] as const)('%s %j: %i, and says what to do', async (_, args, code, words) => {
  const { ended, output } = npm(await checkoutWith([]), ...args)
  expect([await ended, output()]).toEqual([code, expect.stringMatching(words)])
  expect(output()).not.toMatch(/not found|\n +at /)
})
