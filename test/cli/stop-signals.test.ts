import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCaptured } from '../../src/exec/runs/suite-command.ts'
import { StopSignals } from '../../src/process/stop-signals.ts'
import { analyticsPath, ask, event } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo } from '../support/raw-http.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'

/** The number of tries where the moment of a copy decides. */
const tries = 4

/** Longer than the time in which a signal is a copy of the first one, milliseconds. */
const laterMs = 2300

/** Sends signals in turn, one each millisecond, until the command has ended. */
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

/** Returns the arguments of `exec` with a report and a condition that `request` meets. */
const execOf = (report: string, command: readonly string[]) => [
  ...['exec', '--report', report, '--fail-on', 'unexpected', '--', ...command],
]

/** Sends a request to nowhere, and prints "begun". */
const request = "fetch(process.env.CONVSIM_BASE_URL + '/nowhere').then(() => console.log('begun'))"
const waiting = 'setTimeout(() => {}, 60_000)'
const reportFile = async () => join(await tempFolder(), 'report.json')

async function expectWhole(report: string, command: Command): Promise<void> {
  expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1 })
  expect(command.stderr()).toMatch(/--fail-on: 1 unexpected answer/)
}

/** Starts an HTTP server that answers nothing. */
async function startSilentServer() {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}` }
}

describe('copies of the first signal, one each millisecond until the end, change nothing', { tags: ['long'] }, () => {
  test.each([[['SIGINT', 'SIGTERM']], [['SIGTERM']]] as const)('serve, %j', async (signals) => {
    for (let count = 0; count < tries; count += 1) {
      const report = await reportFile()
      const flags = ['--port', '0', '--state', ':memory:', '--report', report, '--fail-on', 'unexpected']
      const command = convsim(flags, { detached: true })
      await ask({ origin: await command.ready() }, '/v1/nowhere')
      signalGroup(command, signals[0])
      expect(await sendUntilEnd(command, signals)).toBe(3)
      expect(command.stderr()).toMatch(/"stopped"/)
      await expectWhole(report, command)
    }
  })

  test('proxy', async () => {
    const { url } = await startSilentServer()
    for (let count = 0; count < tries; count += 1) {
      const command = convsim(['proxy', `${url}/v1`, '--port', '0'], { detached: true })
      await command.ready()
      signalGroup(command, 'SIGINT')
      expect(await sendUntilEnd(command, ['SIGINT'])).toBe(0)
      expect(command.stderr()).toMatch(/"stopped"/)
    }
  })

  test('exec, whose command gets the signal of its group and one of convsim, and no copy', async () => {
    for (let count = 0; count < tries; count += 1) {
      const report = await reportFile()
      const counting = `let count = 0; process.on('SIGINT', () => { count += 1; console.log('SIGINT', count) })
        setTimeout(() => process.exit(5), 500); ${request}`
      const command = convsim(execOf(report, [process.execPath, '-e', counting]), { detached: true })
      await command.untilStdout(/begun/)
      signalGroup(command, 'SIGINT')
      expect(await sendUntilEnd(command, ['SIGINT'])).toBe(5)
      expect(command.stdout()).not.toContain('SIGINT 3')
      await expectWhole(report, command)
    }
  })

  test('exec, whose command ends by the first signal', async () => {
    for (let count = 0; count < tries; count += 1) {
      const report = await reportFile()
      const script = `${request}; ${waiting}`
      const command = convsim(execOf(report, [process.execPath, '-e', script]), { detached: true })
      await command.untilStdout(/begun/)
      signalGroup(command, 'SIGINT')
      expect(await sendUntilEnd(command, ['SIGINT', 'SIGTERM'])).toBe(130)
      await expectWhole(report, command)
    }
  })

  test('exec, whose command has ended by itself', async () => {
    for (let count = 0; count < tries; count += 1) {
      const report = await reportFile()
      const script = `trap '' TERM; "${process.execPath}" -e "${request}"; echo ended`
      const command = convsim(execOf(report, ['sh', '-c', script]))
      await command.untilStdout(/ended/)
      expect(await sendUntilEnd(command, ['SIGTERM'])).toBe(3)
      await expectWhole(report, command)
    }
  })

  test.each([
    ['--each', 'rate-limited', /^\d runs?, \d not made \(interrupted\)\.$/m],
    ['--hunt', 'rate-limited;retry-after=0', /until it was interrupted: /],
  ])('exec %s', async (flag, faults, text) => {
    const cwd = await tempFolder()
    // Twice the suite is green; after a 429 it hangs.
    const script = `const answer = await fetch(process.env.CONVSIM_BASE_URL + '${analyticsPath.slice(3)}',
      { headers: { authorization: 'Bearer k' } })
      if (answer.status === 429) { (await import('node:fs')).writeFileSync('pid', String(process.pid)); ${waiting} }`
    const node = [process.execPath, '--input-type=module', '-e', script]
    const flags = [flag, faults, '--report', 'report.json']
    const command = convsim(['exec', ...flags, '--', ...node], { cwd, detached: true })
    let pid = ''
    for (; pid === ''; await sleep(20)) pid = await readFile(join(cwd, 'pid'), 'utf8').catch(() => '')
    signalGroup(command, 'SIGINT')
    expect(await sendUntilEnd(command, ['SIGINT'])).toBe(130)
    await untilGone(Number(pid))
    expect(command.stdout()).toMatch(text)
    expect(JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))).toBeTypeOf('object')
  })
})

describe('a signal after that time ends the process at once, and says so', { tags: ['long'] }, () => {
  const codes = { SIGINT: 130, SIGTERM: 143 } as const
  const notice = (signal: string) =>
    new RegExp(`${signal}, more than 2 s after SIG\\w+: the process ends at once, unfinished\\.`)

  test.each([
    ['serve', 'SIGINT'],
    ['serve', 'SIGTERM'],
    ['proxy', 'SIGTERM'],
  ] as const)('%s, %s', async (name, signal) => {
    const upstream = name === 'proxy' ? [`${(await startSilentServer()).url}/v1`] : []
    const command = convsim([name, ...upstream, '--port', '0'], { cwd: await tempFolder() })
    const busy = await connectTo(await command.ready())
    busy.send(postText('/v1/events', event()).slice(0, -20)) // holds the stop for five seconds
    await sleep(100)
    command.process.kill('SIGINT')
    await sleep(laterMs)
    command.process.kill(signal)
    expect([await command.ended, command.stderr()]).toEqual([codes[signal], expect.stringMatching(notice(signal))])
    expect(command.stderr()).not.toContain('"stopped"')
    busy.destroy()
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('exec, with its command, %s', async (signal) => {
    const deaf = `process.on('SIGINT', () => {}); console.log(process.pid, 'begun'); ${waiting}`
    const command = convsim(['exec', '--log-format', 'json', '--', process.execPath, '-e', deaf])
    await command.untilStdout(/begun/)
    command.process.kill('SIGINT')
    await sleep(laterMs)
    command.process.kill(signal)
    expect(await command.ended).toBe(codes[signal])
    expect(JSON.parse(command.stderr())).toMatchObject({ level: 'error', msg: expect.stringMatching(notice(signal)) })
    await untilGone(Number.parseInt(command.stdout(), 10))
  })
})

test('exec that gets a signal before its command began ends at once', async () => {
  const { server, port } = await startSilentServer()
  const cwd = await tempFolder()
  const redis = `redis://127.0.0.1:${port}` // which the start waits for
  const command = convsim(['exec', '--state', redis, '--', 'touch', 'begun'], { cwd })
  await once(server, 'connection')
  command.process.kill('SIGTERM')
  expect(await command.ended).toBe(143)
  expect(await readdir(cwd)).toEqual([])
})

describe('a command without anything to finish ends by the first signal', { tags: ['long'] }, () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', async (signal, code) => {
    const { url, port } = await startSilentServer()
    const cwd = await tempFolder()
    const commands = [
      ['healthcheck', '--wait', '--port', String(port)],
      ['drift', `${url}/v1`],
      ['record', url, '--out', 'recorded', '--write'],
    ].map((args) => convsim(args, { cwd }))
    await sleep(3000)
    for (const command of commands) command.process.kill(signal)
    for (const { ended, stderr } of commands) expect([await ended, stderr()]).toEqual([code, ''])
    expect(await readdir(cwd)).toEqual([])
  })

  test('replay leaves no temporary folder', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'bundle.json')
    const sim = await startForTest()
    await ask(sim, '/v1/nowhere')
    const bundle = JSON.parse((await ask(sim, '/__sim/bundle')).text)
    const [sandbox] = bundle.sandboxes
    const [first] = sandbox.requests
    sandbox.requests = Array.from({ length: 3_000 }, (_, index) => ({
      ...first,
      id: `req-${index + 1}`,
      order: index + 1,
    }))
    await writeFile(file, JSON.stringify(bundle))
    const tmp = await tempFolder()
    const command = convsim(['replay', file], { env: { TMPDIR: tmp } })
    // Beside it, Node 22.1 and newer keep compiled code in a folder of their own.
    const folders = async () => (await readdir(tmp)).filter((name) => name.startsWith('convsim-'))
    while ((await folders()).length === 0) await sleep(5)
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(143)
    expect(await folders()).toEqual([])
  })
})

test('a copy that comes while the process computes for longer than two seconds is a copy', {
  tags: ['long'],
}, async () => {
  const script = `
    import { StopSignals } from ${JSON.stringify(new URL('../../src/process/stop-signals.ts', import.meta.url).href)}
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
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  while (!output.includes('begun')) await sleep(10)
  child.kill('SIGTERM')
  while (!output.includes('stopping')) await sleep(10)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the command of a run that begins after the stop of exec --each is ended', async () => {
  const endless = { file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: process.env }
  const bounds = { limitMs: 60_000, stopped: AbortSignal.abort(), host: process }
  expect(await runCaptured(endless, bounds)).toMatchObject({ code: 137, isTimedOut: false })
})

test('files that are being written are finished before the first signal ends the command', async () => {
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
