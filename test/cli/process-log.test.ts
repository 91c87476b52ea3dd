import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { event } from '../support/client.ts'
import { cli } from '../support/command.ts'
import { postAll } from '../support/pipelined.ts'

/** Starts the built command with its log on a pipe that is not read yet. */
async function startUnread(logging: readonly string[], preloaded: readonly string[] = []) {
  const args = [...preloaded, cli, '--port', '0', '--state', ':memory:', ...logging]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const origin = /http:\/\/[\d.]+:\d+/.exec(String(line))?.[0] ?? ''
  return { child, origin }
}

test('the buffer of an unread log is bounded, and a last line counts the dropped lines', async () => {
  const { child, origin } = await startUnread(['--log-bodies', '--log-format', 'json'])
  // About 4 kB of log per request, in all four times the size of the buffer.
  const body = event({ insertId: 'always', properties: { long: 'x'.repeat(1900) } })
  const answers = await postAll(origin, '/v1/events', new Array(10_000).fill(body))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const log = text(child.stderr)
  await expect.poll(() => postAll(origin, '/v1/events', [body])).toHaveLength(1)
  child.kill('SIGTERM')
  const lines = await log
  expect(lines.length).toBeLessThan(20_000_000)
  expect(lines).toMatch(/"lines":\d{3,},"msg":"lines of the log are lost/)
})

test.each(['json', 'pretty'])('the last lines before a crash are written in format %s', async (format) => {
  const crash = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('made to crash') })`
  const { child, origin } = await startUnread(['--log-format', format], ['--import', crash])
  const output = text(child.stderr)
  await fetch(`${origin}/v1/nowhere`)
  child.kill('SIGUSR2')
  const log = await output
  expect(log).toContain('made to crash')
  expect(log).toContain('"path":"/v1/nowhere","status":404')
})

test('lines have the time of their event, not of their writing, and stay in order', async () => {
  const { child, origin } = await startUnread(['--log-format', 'json'])
  const output = text(child.stderr)
  const answered: number[] = []
  for (let n = 0; n < 100; n += 1) {
    await fetch(`${origin}/v1/nowhere/${n}`)
    answered.push(Date.now())
  }
  child.kill('SIGTERM')
  const lines = (await output).split('\n').filter((line) => line.includes('/v1/nowhere/'))
  const entries = lines.map((line): { path: string; time: number } => JSON.parse(line))
  expect(entries.map(({ path }) => path)).toEqual(answered.map((_, n) => `/v1/nowhere/${n}`))
  // An exchange is recorded when its answer has been sent, at the latest before the next request is handled.
  const isLate = (time: number, n: number) => time > (answered[n + 1] ?? Number.POSITIVE_INFINITY)
  expect(entries.filter(({ time }, n) => isLate(time, n))).toEqual([])
})
