// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/command-line/process/process-log.ts'
import { event } from '../support/client.ts'
import { cli, inMemory } from '../support/command.ts'
import { postAll } from '../support/pipelined.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Starts the built command without reading its output. */
function startUnread(args: readonly string[], nodeOptions: readonly string[] = []) {
  const child = spawn(process.execPath, [...nodeOptions, cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Starts a server and reads its ready line, but not its log. */
async function serveUnread(logging: readonly string[], nodeOptions: readonly string[] = []) {
  const child = startUnread([...inMemory, ...logging], nodeOptions)
  const [line] = await once(child.stdout, 'data')
  const origin = /http:\/\/[\d.]+:\d+/.exec(String(line))?.[0] ?? ''
  return { child, origin }
}

const properties = { long: 'x'.repeat(1900) }

test('the buffer of an unread log is bounded, and a line reports the number of dropped lines', async () => {
  const { child, origin } = await serveUnread(['--log-bodies', '--log-format', 'json'])
  // The requests produce about 25 MB of log lines in total, which is three times the size of the buffer.
  const large = event({ insertId: 'always', properties })
  await postAll(origin, '/v1/events', new Array(10_000).fill(large))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (log += piece))
  const hasCount = async () => {
    await postAll(origin, '/v1/events', [large])
    return /"lines":\d{3,},"msg":"log lines were lost/.test(log)
  }
  await expect.poll(hasCount).toBe(true)
  expect(log.length).toBeLessThan(20_000_000)
})

test('flushing a log writes the buffered lines and then the number of dropped lines', () => {
  let isFull = true
  let written = ''
  const log = createLog('info', 'json', Date.now, (bytes) => {
    if (isFull) throw Object.assign(new Error('full'), { code: 'EAGAIN' })
    written += Buffer.from(bytes).toString()
    return bytes.length
  })
  for (let count = 0; count < 10_000; count += 1) log.info(properties, 'long')
  isFull = false
  log.flush()
  expect(written).toMatch(/"msg":"long"\}\n.*"lines":\d{4,},"msg":"log lines were lost[^\n]*\n$/)
})

test('a stopped server writes its report and sets the exit code even if nothing reads stderr', async () => {
  const report = join(await tempFolder(), 'report.json')
  const reporting = ['--report', report, '--fail-on', 'violation']
  const { child, origin } = await serveUnread(['--log-format', 'json', '--log-bodies', ...reporting])
  const ended = once(child, 'exit')
  await postAll(origin, '/v1/events', new Array(3000).fill(event({ sampleRate: 2, properties })))
  child.kill('SIGTERM')
  expect(await ended).toEqual([3, null])
  expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 3000 })
})

test.each(['stdout', 'stderr'] as const)('a closed %s does not stop the server', async (output) => {
  const child = startUnread([...inMemory, '--log-format', 'json'])
  child[output].destroy()
  const other = output === 'stdout' ? child.stderr : child.stdout
  await once(other, 'data') // the ready line on stdout, or the "loaded" line on stderr
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test.each(['--help', 'assumptions', 'check'])('convsim %s exits without an error if stdout is closed', async (word) => {
  const child = startUnread([word])
  child.stdout.destroy()
  expect(await Promise.all([once(child, 'exit'), text(child.stderr)])).toEqual([[0, null], ''])
})

test.each(['json', 'pretty'])('the last lines before a crash are written with --log-format %s', async (format) => {
  const crash = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('made to crash') })`
  const { child, origin } = await serveUnread(['--log-format', format], ['--import', crash])
  const output = text(child.stderr)
  await fetch(`${origin}/v1/nowhere`)
  child.kill('SIGUSR2')
  const log = await output
  expect(log).toContain('made to crash')
  expect(log).toMatch(format === 'json' ? /"path":"\/v1\/nowhere","status":404/ : /^GET \/v1\/nowhere 404 /m)
})

test('log lines stay in order and show when they were logged, not when they were written', async () => {
  const { child, origin } = await serveUnread(['--log-format', 'json'])
  const output = text(child.stderr)
  const responded: number[] = []
  for (let n = 0; n < 100; n += 1) {
    await fetch(`${origin}/v1/nowhere/${n}`)
    responded.push(Date.now())
  }
  child.kill('SIGTERM')
  const lines = (await output).split('\n').filter((line) => line.includes('/v1/nowhere/'))
  const entries = lines.map((line): { path: string; time: string } => JSON.parse(line))
  expect(entries.map(({ path }) => path)).toEqual(responded.map((_, n) => `/v1/nowhere/${n}`))
  // An exchange is logged after its response is sent, but before the next request is handled.
  const isLate = (time: string, n: number) => Date.parse(time) > (responded[n + 1] ?? Number.POSITIVE_INFINITY)
  expect(entries.filter(({ time }, n) => isLate(time, n))).toEqual([])
})
