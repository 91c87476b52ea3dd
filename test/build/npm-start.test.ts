// @module-tag long
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type NpmCommand, npm } from '../support/npm.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a checkout that contains only `package.json` and the scripts that `npm start` runs. */
async function createCheckout(): Promise<string> {
  const folder = await tempFolder()
  await mkdir(join(folder, 'src/build'), { recursive: true })
  for (const file of ['package.json', ...['prepare', 'is-built', 'start'].map((name) => `src/build/${name}.mjs`)])
    await cp(join(root, file), join(folder, file))
  return folder
}

/** Creates a checkout with links to these folders, but no development dependencies, so `dist/` is not rebuilt. */
async function createCheckoutWith(folders: readonly string[]): Promise<string> {
  const folder = await createCheckout()
  await mkdir(join(folder, 'node_modules'))
  await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}')
  for (const name of folders) await symlink(join(root, name), join(folder, name))
  return folder
}

/** Waits until the server started by npm is ready, and returns its port. */
const portOf = async ({ ready }: NpmCommand) => Number(new URL(await ready()).port)

const startArgs = ['start', '--', '--port', '0', '--state', ':memory:']

/** Listens on a port until the end of the test. Rejects if the port is taken. */
async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}

test.each(['SIGTERM to npm alone', 'SIGTERM to npm’s process group', 'SIGINT to npm’s process group (as on Ctrl-C)'])(
  '%s stops the server, which then writes its report',
  async (title) => {
    const folder = await createCheckoutWith(['dist'])
    const signal = title.startsWith('SIGINT') ? 'SIGINT' : 'SIGTERM'
    const report = join(folder, 'report.json')
    const command = npm(folder, ...startArgs, '--drain', '500ms', '--report', report, '--fail-on', 'unexpected')
    const port = await portOf(command)
    await fetch(`http://127.0.0.1:${port}/v1/nowhere`)
    if (title.endsWith('alone')) command.process.kill(signal)
    else command.killGroup(signal)
    // npm ends as its child does: the signal kills the shell, or the server has replaced the shell and exits with 3.
    expect([signal, 3]).toContain(await command.ended)
    expect(command.output()).toContain('"stopped"')
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1 })
    await listenOn(port)
  },
)

/** A stub for tsx. Instead of building, it copies `dist/`; instead of running the tests, it prints a line. */
const tsxStub = `#!/usr/bin/env node
const { cpSync } = require('node:fs')
if (process.argv[2].endsWith('build.ts')) cpSync(${JSON.stringify(join(root, 'dist'))}, 'dist', { recursive: true })
else console.log('all tests ran')
`

test('npm installs packages and builds on the first use of a fresh clone, and again only after a change', async () => {
  const folder = await createCheckout()
  for (const name of ['spec', 'fixtures']) await symlink(join(root, name), join(folder, name))
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const stubbed = { ...manifest, peerDependencies: {}, overrides: {}, devDependencies: { tsx: 'file:tool' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(stubbed))
  await mkdir(join(folder, 'tool'))
  await writeFile(join(folder, 'tool/package.json'), '{ "name": "tsx", "version": "1.0.0", "bin": "tsx.cjs" }')
  await writeFile(join(folder, 'tool/tsx.cjs'), tsxStub, { mode: 0o755 })
  await npm(folder, 'install', '--package-lock-only', '--ignore-scripts').ended

  const first = npm(folder, ...startArgs)
  expect((await fetch(`${await first.ready()}/healthz`)).status).toBe(200)
  expect(first.output().match(/^(Installing|Building) .*/gm)).toEqual([
    expect.stringMatching(/^Installing packages .*: npm ci/),
    expect.stringMatching(/^Building dist\/ .*: npm run --silent build/),
  ])
  const second = npm(folder, 'test')
  expect([await second.ended, second.output()]).toEqual([0, expect.stringContaining('all tests ran')])
  expect(second.output()).not.toMatch(/^(Installing|Building)/m)
  await utimes(join(folder, 'package-lock.json'), 9e9, 9e9)
  const third = npm(folder, 'test')
  expect([await third.ended, third.stderr()]).toEqual([0, expect.stringMatching(/^Installing packages/)])
})

test('npm start without development dependencies serves the existing build and says what is missing', async () => {
  const { ready, output } = npm(await createCheckoutWith(['dist']), ...startArgs)
  expect((await fetch(`${await ready()}/healthz`)).status).toBe(200)
  expect(output()).toMatch(/convsim was not rebuilt, and dist\/ is unchanged: .*--omit=dev.*npm ci --include=dev/)
})

test.each([
  ['npm start without a build fails', startArgs, 1, /was not built: .*npm ci --include=dev/],
  ['npm run postprepare without development dependencies succeeds', ['run', 'postprepare'], 0, /npm ci --include=dev/],
] as const)('%s and says what to do', async (_, args, code, words) => {
  const { ended, output } = npm(await createCheckoutWith([]), ...args)
  expect([await ended, output()]).toEqual([code, expect.stringMatching(words)])
  expect(output()).not.toMatch(/not found|\n +at /)
})

test('stopping npm stops the build, and the message about a failed build says that nothing was started', async () => {
  const folder = await createCheckout()
  const script = `require('node:fs').writeFileSync('building', String(process.pid)); setTimeout(() => {}, 60_000)`
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const startWithBuild = async (build: string) => {
    const scripts = { ...manifest.scripts, build }
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }))
    return npm(folder, ...startArgs)
  }
  await mkdir(join(folder, 'node_modules/tsx'), { recursive: true })
  await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}')
  await writeFile(join(folder, 'wait.cjs'), script)

  const failed = await startWithBuild('exit 3')
  expect([await failed.ended, failed.output()]).toEqual([
    3,
    expect.stringMatching(/build" failed: .*nothing was started/),
  ])
  const pending = await startWithBuild('node wait.cjs')
  const pid = Number(
    await vi.waitFor(() => readFile(join(folder, 'building'), 'utf8').then((text) => text || Promise.reject()), 60_000),
  )
  pending.process.kill('SIGTERM')
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000)
})
