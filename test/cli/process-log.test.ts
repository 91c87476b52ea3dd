import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { event } from '../support/client.ts'
import { cli } from '../support/command.ts'
import { postAll } from '../support/pipelined.ts'

/** The command as its users start it, with a log on a pipe that nobody reads yet. */
async function served(logging: readonly string[], preloaded: readonly string[] = []) {
  const args = [...preloaded, cli, '--port', '0', '--state', ':memory:', ...logging]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const origin = /http:\/\/[\d.]+:\d+/.exec(String(line))?.[0] ?? ''
  return { child, origin }
}

test('a log that nobody reads is bounded, and says what it lost to whoever reads it in the end', async () => {
  const { child, origin } = await served(['--log-bodies', '--log-format', 'json'])
  // Some 4 kB of log each, four times of what may wait.
  const body = event({ insertId: 'always', properties: { long: 'x'.repeat(1900) } })
  const answers = await postAll(origin, '/v1/events', new Array(10_000).fill(body))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const log = text(child.stderr)
  await expect.poll(() => postAll(origin, '/v1/events', [body])).toHaveLength(1)
  child.kill('SIGTERM')
  const said = await log
  expect(said.length).toBeLessThan(20_000_000)
  expect(said).toMatch(/"lines":\d{3,},"msg":"lines of the log are lost/)
})

test.each(['json', 'pretty'])('the last lines before a crash are written: %s', async (format) => {
  const crash = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('made to crash') })`
  const { child, origin } = await served(['--log-format', format], ['--import', crash])
  const said = text(child.stderr)
  await fetch(`${origin}/v1/nowhere`)
  child.kill('SIGUSR2')
  const log = await said
  expect(log).toContain('made to crash')
  expect(log).toContain('"path":"/v1/nowhere","status":404')
})

test('a line has the time of what it tells, however much later it is written, and lines keep their order', async () => {
  const { child, origin } = await served(['--log-format', 'json'])
  const said = text(child.stderr)
  const answered: number[] = []
  for (let n = 0; n < 100; n += 1) {
    await fetch(`${origin}/v1/nowhere/${n}`)
    answered.push(Date.now())
  }
  child.kill('SIGTERM')
  const lines = (await said).split('\n').filter((one) => one.includes('/v1/nowhere/'))
  const told = lines.map((one): { path: string; time: number } => JSON.parse(one))
  expect(told.map(({ path }) => path)).toEqual(answered.map((_, n) => `/v1/nowhere/${n}`))
  expect(told.filter(({ time }, n) => time > (answered[n] ?? 0))).toEqual([])
})
