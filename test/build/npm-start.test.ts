// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { recordingEnv } from '../support/control-answers/recording.ts'
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

/** Runs npm in a process group of its own, which is killed at the end of the test. */
function npm(cwd: string, args: readonly string[]) {
  const child = spawn('npm', args, {
    cwd,
    detached: true,
    env: { PATH: process.env['PATH'], ...recordingEnv(), HOME: cwd, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // the group has ended
    }
  })
  let output = ''
  const listening = new Promise<number>((resolve) => {
    const read = (text: string) => {
      output += text
      const [, port] = /is listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? []
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
  })
  return { child, listening, output: () => output }
}

const serve = ['start', '--', '--port', '0', '--state', ':memory:']

/** Listens on a port; rejects where it is taken. */
async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s to npm alone stops the server before npm ends', async (signal) => {
  const { child, listening } = npm(await checkoutWith(['dist']), serve)
  const port = await listening
  child.kill(signal)
  await once(child, 'exit')
  await listenOn(port)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the process group, as Ctrl-C sends it, ends with the report, the exit code of --fail-on and "stopped"',
  async (signal) => {
    const folder = await checkoutWith(['dist'])
    for (let count = 0; count < 4; count += 1) {
      const report = join(folder, `${count}.json`)
      // npm sends its copy at once; the stop takes longer.
      const flags = ['--drain', '200ms', '--report', report, '--fail-on', 'unexpected']
      const { child, listening, output } = npm(folder, [...serve, ...flags])
      await fetch(`http://127.0.0.1:${await listening}/v1/nowhere`)
      process.kill(-(child.pid ?? 0), signal)
      expect(await once(child, 'close')).toEqual([3, null])
      expect(output()).toContain('"stopped"')
      expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1 })
    }
  },
)

test('a stop that takes longer than two seconds after the end of npm is not cut off', async () => {
  const { child, listening, output } = npm(await checkoutWith(['dist']), [...serve, '--drain', '3500ms'])
  await listening
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(output()).toContain('"stopped"')
})

test('the server stops if npm is killed', async () => {
  const { child, listening, output } = npm(await checkoutWith(['dist']), serve)
  const port = await listening
  child.kill('SIGKILL')
  await once(child, 'close') // the server has npm's output open until it ends, too
  expect(output()).toContain('"stopped"')
  await listenOn(port)
})

test('npm start without the development dependencies serves what is built, and says why it does not build', async () => {
  const { listening, output } = npm(await checkoutWith(['dist']), serve)
  expect((await fetch(`http://127.0.0.1:${await listening}/healthz`)).status).toBe(200)
  expect(output()).toMatch(/convsim is not built again, and dist\/ stays as it is: .*--omit=dev.*npm ci --include=dev/)
})

test('npm start without anything built ends with 1 and says what to do', async () => {
  const { child, output } = npm(await checkoutWith([]), serve)
  expect(await once(child, 'close')).toEqual([1, null])
  expect(output()).toMatch(/convsim is not built: .*npm ci --include=dev[\s\S]*dist\/cli\.js is missing/)
  expect(output()).not.toMatch(/not found|\n +at /)
})

test('an installation without the development dependencies says that it builds nothing, and is no error', async () => {
  const { child, output } = npm(await checkoutWith([]), ['run', 'dependencies'])
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toMatch(/npm ci --include=dev/)
})
