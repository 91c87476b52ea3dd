import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StopSignals } from '../../src/command-line/process/stop-signals.ts'
import { runCaptured } from '../../src/features/exec/runs/run-command.ts'
import { call, event } from '../support/client.ts'
import { type Command, convsim, inMemory } from '../support/command.ts'
import { listenForTest } from '../support/fake-upstream.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo } from '../support/raw-http.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'
import { eachArgs, hangIf } from './sample-suite.ts'

/** How many times to run each `serve` or `exec` case with duplicate signals, since the outcome may depend on timing. */
const tries = 4

/** A delay in milliseconds after which a signal no longer counts as a copy of the first signal. */
const laterMs = 2300

/** Sends signals in turn, one per millisecond, until the command has ended. Returns its exit code. */
async function sendUntilEnd({ process: child, ended }: Command, signals: readonly NodeJS.Signals[]) {
  let count = 0
  const timer = setInterval(() => void child.kill(signals[count++ % signals.length]), 1)
  const code = await ended
  clearInterval(timer)
  return code
}

/** Sends a signal to the process group of a command, as a terminal does. */
const signalGroup = ({ process: child }: Command, signal: NodeJS.Signals) =>
  void process.kill(-(child.pid ?? 0), signal)

/** Code that sends a request to an unknown path and then prints "begun". */
const request = "fetch(process.env.CONVSIM_BASE_URL + '/nowhere').then(() => console.log('begun'))"
const idle = 'setTimeout(() => {}, 60_000)'
const countSigints = `let count = 0; process.on('SIGINT', () => { count += 1; console.log('SIGINT', count) })
  setTimeout(() => process.exit(5), 500); ${request}`
const execNode = (script: string) => ['exec', '--', process.execPath, '-e', script]

/** Starts an HTTP server that never responds. */
async function startSilentServer() {
  const server = createServer(() => undefined)
  const port = await listenForTest(server)
  return { server, port, url: `http://127.0.0.1:${port}` }
}

describe('copies of the first signal, sent every millisecond until exit, have no effect on', { tags: ['long'] }, () => {
  const untilServing = async (command: Command) => void (await call({ origin: await command.ready() }, '/v1/nowhere'))
  const untilBusy = (command: Command) => command.untilStdout(/begun/)
  const ignoreTerm = ['exec', '--', 'sh', '-c', `trap '' TERM; "${process.execPath}" -e "${request}"; echo ended`]

  test.each<[string, string[], (command: Command) => Promise<void>, NodeJS.Signals[], number]>([
    ['serve (SIGINT and SIGTERM)', ['serve', ...inMemory], untilServing, ['SIGINT', 'SIGTERM'], 3],
    ['serve (SIGTERM)', ['serve', ...inMemory], untilServing, ['SIGTERM'], 3],
    ['exec, whose command gets at most two signals', execNode(countSigints), untilBusy, ['SIGINT'], 5],
    ['exec, whose command handles no signals', execNode(`${request}; ${idle}`), untilBusy, ['SIGINT', 'SIGTERM'], 130],
    ['exec, whose command ignores SIGTERM', ignoreTerm, (command) => command.untilStdout(/ended/), ['SIGTERM'], 3],
  ])('%s', async (_, [name = '', ...args], untilStarted, signals, code) => {
    for (let count = 0; count < tries; count += 1) {
      const report = join(await tempFolder(), 'report.json')
      const command = convsim([name, '--report', report, '--fail-on', 'unexpected', ...args], { detached: true })
      await untilStarted(command)
      signalGroup(command, signals[0] ?? 'SIGTERM')
      expect(await sendUntilEnd(command, signals)).toBe(code)
      expect(command.stdout()).not.toContain('SIGINT 3')
      expect(command.stderr()).toMatch(name === 'serve' ? /"stopped"/ : /^/)
      expect(command.stderr()).toMatch(/--fail-on: 1 unexpected response/)
      expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1 })
    }
  })

  test('proxy', async () => {
    const { url } = await startSilentServer()
    const command = convsim(['proxy', `${url}/v1`, '--port', '0'], { cwd: await tempFolder(), detached: true })
    await command.ready()
    signalGroup(command, 'SIGINT')
    expect(await sendUntilEnd(command, ['SIGINT'])).toBe(0)
    expect(command.stderr()).toMatch(/"stopped"/)
  })

  test('convsim each, which writes the report so far and leaves no processes running', async () => {
    const cwd = await tempFolder()
    // The suite passes without faults, and hangs after a 429.
    const lines = `const { status } = await call(analytics)${hangIf('status === 429')}`
    const flags = ['--set', 'rate-limited;retry-after=0', '--report', 'report.json']
    const command = convsim(eachArgs(lines, ...flags), { cwd, detached: true })
    let pids = ''
    for (; pids === ''; await sleep(20)) pids = await readFile(join(cwd, 'pids'), 'utf8').catch(() => '')
    signalGroup(command, 'SIGINT')
    expect(await sendUntilEnd(command, ['SIGINT'])).toBe(130)
    await untilGone(Number(pids))
    expect(command.stdout()).toMatch(/^\d runs?, \d not run \(interrupted\)\.$/m)
    expect(JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))).toMatchObject({ truncated: true })
  })

  test('convsim each during a later run without faults; the interrupted run does not count as failed', async () => {
    const cwd = await tempFolder()
    const lines = `const { status } = await call(analytics)
      ${hangIf('status === 200 && n > 5')}
      if (status === 500) process.exit(1)`
    const flags = ['--set', 'slow;ms=1,500', '--jobs', '1', '--report', 'report.json']
    const command = convsim(eachArgs(lines, ...flags), { cwd, detached: true })
    for (let pids = ''; pids === ''; await sleep(20)) pids = await readFile(join(cwd, 'pids'), 'utf8').catch(() => '')
    signalGroup(command, 'SIGINT')
    expect(await sendUntilEnd(command, ['SIGINT'])).toBe(130)
    const { summary } = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))
    expect(summary).toMatchObject({ made: 1, changes: [] })
  })
})

describe('a later signal is reported and immediately ends', { tags: ['long'] }, () => {
  const notice = (signal: string) =>
    new RegExp(
      'exiting at once without finishing, because another signal ' +
        `\\(${signal}\\) arrived more than 2 s after the first \\(SIG\\w+\\)\\.`,
    )

  test.each([
    ['serve', 'SIGINT', 130],
    ['proxy', 'SIGTERM', 143],
  ] as const)('%s (%s)', async (name, signal, code) => {
    const upstream = name === 'proxy' ? [`${(await startSilentServer()).url}/v1`] : []
    const command = convsim([name, ...upstream, '--port', '0'], { cwd: await tempFolder() })
    const origin = await command.ready()
    const busy = await connectTo(origin)
    busy.send(postText('/v1/events', event()).slice(0, -20)) // delays the shutdown by five seconds
    await call({ origin }, '/__sim/health', { token: null }) // a response shows that the bytes above have arrived
    command.process.kill('SIGINT')
    await sleep(laterMs)
    expect([await command.stop(signal), command.stderr()]).toEqual([code, expect.stringMatching(notice(signal))])
    expect(command.stderr()).not.toContain('"stopped"')
    busy.destroy()
  })

  test('exec and its command', async () => {
    const ignoreSigint = `process.on('SIGINT', () => {}); console.log(process.pid, 'begun'); ${idle}`
    const command = convsim(['exec', '--log-format', 'json', ...execNode(ignoreSigint).slice(1)])
    await command.untilStdout(/begun/)
    command.process.kill('SIGINT')
    await sleep(laterMs)
    expect(await command.stop('SIGTERM')).toBe(143)
    const msg = expect.stringMatching(notice('SIGTERM'))
    expect(JSON.parse(command.stderr())).toMatchObject({ level: 'error', msg })
    await untilGone(Number.parseInt(command.stdout(), 10))
  })
})

test('exec exits at once if a signal arrives before its command starts', async () => {
  const { server, port } = await startSilentServer()
  const cwd = await tempFolder()
  const redis = `redis://127.0.0.1:${port}` // startup waits for a response from Redis
  const command = convsim(['exec', '--state', redis, '--', 'touch', 'begun'], { cwd })
  await once(server, 'connection')
  expect(await command.stop()).toBe(143)
  expect(await readdir(cwd)).toEqual([])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command with nothing to finish exits at the first %s', { tags: ['long'] }, async (signal, code) => {
  const { server, url, port } = await startSilentServer()
  const cwd = await tempFolder()
  for (const args of [
    ['healthcheck', '--wait', '--port', String(port)],
    ['drift', `${url}/v1`],
    ['record', url, '--out', 'recorded', '--write'],
  ]) {
    const command = convsim(args, { cwd })
    await once(server, 'request')
    expect([await command.stop(signal), command.stderr()]).toEqual([code, ''])
  }
  expect(await readdir(cwd)).toEqual([])
})

test('a copy of a signal is recognized even if the process is busy for over 2 s', { tags: ['long'] }, async () => {
  const module = new URL('../../src/command-line/process/stop-signals.ts', import.meta.url).href
  const script = `
    import { StopSignals } from ${JSON.stringify(module)}
    const signals = new StopSignals(process, console.error)
    const timer = setInterval(() => {}, 1000)
    signals.onStop(() => {
      console.log('stopping')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${laterMs})
      setTimeout(() => clearInterval(timer), 100)
    })
    console.log('begun')`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for (const line of ['begun', 'stopping']) {
    expect(String(await once(child.stdout, 'data'))).toContain(line)
    child.kill('SIGTERM')
  }
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('convsim each kills a command that starts after an interrupt', async () => {
  const endless = { file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: process.env }
  const bounds = { limitMs: 60_000, stopped: AbortSignal.abort(), host: process }
  expect(await runCaptured(endless, bounds)).toMatchObject({ code: 137, isTimedOut: false })
})

test('a command finishes writing its files before the first signal ends it', async () => {
  const events: (string | number)[] = []
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => void events.push(code) })
  const signals = new StopSignals(host as unknown as NodeJS.Process, () => undefined)
  await signals.finish(async () => {
    host.emit('SIGTERM')
    await sleep(10)
    host.emit('SIGINT')
    events.push('written')
  })
  expect(events).toEqual(['written', 143])
})
