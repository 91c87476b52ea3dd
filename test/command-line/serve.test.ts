import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/service/fixtures/bundled.ts'
import { freePort } from '../bench/target.ts'
import { allOperations } from '../support/all-operations.ts'
import { inputs } from '../support/catalogue.ts'
import { analyticsPath, call, event, objectOf } from '../support/client.ts'
import { cli, convsim, inMemory, run, startProgram } from '../support/command.ts'
import { startForTest } from '../support/start.ts'
import { eventsIn, parseStateFile } from '../support/state-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the ready line on stdout is JSON, and the log on stderr says what was loaded', async () => {
  const command = convsim(inMemory)
  const origin = await command.ready()
  expect((await call({ origin }, analyticsPath)).status).toBe(200)
  expect(await command.stop()).toBe(0)
  expect(JSON.parse(command.stdout())).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    msg: `convsim ${version} is listening on ${origin}`,
    baseUrl: `${origin}/v1`,
  })
  const logged = command.stderr().trimEnd().split('\n')
  const { personas, models } = inputs.fixtures
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'loaded',
      operations: allOperations.length,
      personas: personas.length,
      models: models.length,
      state: { file: ':memory:', events: 0, prompts: 0 },
    },
    { msg: 'responded' },
    ...Array(logged.length - 2).fill({ msg: expect.stringMatching(/^stopp/) }),
  ])
})

describe('the address', () => {
  test('takes its port from the flag, CONVSIM_PORT or PORT, in that order, and its host from HOST', async () => {
    const [plainPort, prefixedPort, flagPort] = [await freePort(), await freePort(), await freePort()]
    const env = { PORT: String(plainPort), CONVSIM_STATE: ':memory:' }
    const both = { ...env, CONVSIM_PORT: String(prefixedPort) }
    expect(await convsim([], { env: { ...env, HOST: 'LOCALHOST' } }).ready()).toBe(`http://LOCALHOST:${plainPort}`)
    expect(await convsim([], { env: both }).ready()).toBe(`http://127.0.0.1:${prefixedPort}`)
    expect(await convsim(['-p', String(flagPort)], { env: both }).ready()).toBe(`http://127.0.0.1:${flagPort}`)
  })

  test('encloses an IPv6 host in brackets, and healthcheck works with that host', async () => {
    const origin = await convsim([...inMemory, '--host', '::1']).ready()
    expect(origin).toMatch(/^http:\/\/\[::1\]:\d+$/)
    const { code, stdout } = await run(['healthcheck', '--host', '::1', '--port', new URL(origin).port])
    expect([code, stdout]).toEqual([0, expect.stringContaining('healthy')])
  })

  const cannotListen = /Cannot listen on .*Choose an address of this machine with --host(?!.*--control-token)/

  test.each([
    [['--control-open'], { HOST: '203.0.113.1' }, /--host \(from HOST\): error: Cannot listen on 203\.0\.113\.1/],
    [[], { HOST: '0.0.0.0' }, /--host \(from HOST\): error: Listening on 0\.0\.0\.0/],
    [['--host', '0.0.0.0'], { HOST: '::1' }, /--host: error: Listening on 0\.0\.0\.0/],
    [['-h', 'foo.invalid'], {}, cannotListen],
    [['-h', '203.0.113.1'], {}, cannotListen],
    [[], { CONVSIM_HOST: 'x86_64-pc-linux-gnu' }, cannotListen],
  ])('is refused at startup if unusable or unsafe; the error names --host: %j %o', async (args, env, words) => {
    const { code, stdout, stderr } = await run([...inMemory, ...args], { env })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)])
  })

  test('is refused at startup if in use; the error names --port, and the state file stays unlocked', async () => {
    const state = join(await tempFolder(), 'state.json')
    const { port } = new URL((await startForTest()).origin)
    const byFlag = await run(['--port', port, '--state', state])
    expect(byFlag).toMatchObject({ code: 1, stdout: '' })
    expect(byFlag.stderr).toMatch(new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use.*--port`))
    const { code, stderr } = await run(['--state', ':memory:'], { env: { PORT: port } })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--port \(from PORT\): error: Port \d+ .* is in use/)])
    const command = convsim(['--port', '0', '--state', state])
    await command.ready()
    expect(command.stderr()).not.toMatch(/tookOverFrom/)
  })
})

const missingFileError = (flag: string) => new RegExp(` no/x\\.md: error: .*\\(${flag}\\)`)

test.each<[string[], Record<string, string>, RegExp]>([
  [['--scenario', 'nonsense'], {}, /Unknown scenario "nonsense"\. For the full list, run "convsim scenarios"/],
  [[], { CONVSIM_SCENARIO: 'nonsense' }, /--scenario \(from CONVSIM_SCENARIO\): error: /],
  [['--scenario', 'slo'], {}, /Did you mean "slow"\?/],
  [['--plan', 'grow'], {}, /--plan: error: Unknown plan "grow"\. Did you mean "growth"\?/],
  [['--log-level', 'inof'], {}, /--log-level takes .*; got "inof"\. Did you mean "info"\? See convsim serve/],
  [['--fail-on', 'retry,violaton'], {}, /got "retry,violaton"\. Did you mean "violation"\? See convsim serve/],
  [['no/x.md'], {}, missingFileError('--contract')],
  [['--fixtures', 'no'], {}, / no: error: no such folder; .*keys\.yaml.* \(--fixtures\)/],
  [['--fixtures', 'package.json'], {}, / package\.json: error: is a file, not a folder; .*keys\.yaml/],
  ...['contract', 'rules', 'seed-state', 'report'].flatMap((name): [string[], object, RegExp][] => {
    const flag = `--${name}`
    const variable = `CONVSIM_${name.replace('-', '_').toUpperCase()}`
    return [
      [[`--${name}`, 'no/x.md'], {}, missingFileError(flag)],
      [[], { [variable]: 'no/x.md' }, missingFileError(`${flag} from ${variable}`)],
    ]
  }),
  [[], { CONVSIM_CONTRACT: 'package.json' }, /package\.json[:\d]*: error: .*\(--contract from CONVSIM_CONTRACT\)/],
] as [string[], Record<string, string>, RegExp][])(
  'an invalid setting makes startup fail with exit code 1 and a message that says what is wrong: %j %o',
  { tags: ['long'] },
  async (args, env, words) => {
    const { code, stdout, stderr } = await run(args, {
      env: { CONVSIM_STATE: ':memory:', CONVSIM_PORT: '0', CONVSIM_LOG_FORMAT: 'pretty', ...env },
    })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)])
    expect(stderr).not.toMatch(/ at .*\.js:\d+/)
  },
)

describe('the state', () => {
  test('is stored under the working directory by default and loaded at the next start', async () => {
    const cwd = await tempFolder()
    const first = convsim(['--port', '0'], { cwd })
    await call({ origin: await first.ready() }, '/v1/events', { body: event({ insertId: 'order-1' }) })
    await first.stop()
    const stored = parseStateFile(await readFile(join(cwd, '.convsim/state.json'), 'utf8'))
    expect(eventsIn(stored)).toMatchObject([{ fields: { insertId: 'order-1' } }])
    const second = convsim(['--port', '0'], { cwd })
    await second.untilStderr(/"state":\{"file":"[^"]*state\.json","sandboxes":1,"events":1,"prompts":0/)
  })

  test('of a running process cannot be used by a second process', async () => {
    const state = join(await tempFolder(), 'state.json')
    const first = convsim(['--port', '0', '--state', state])
    const origin = await first.ready()
    const { code, stderr } = await run(['--port', '0', '--state', state, '--log-format', 'pretty'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`in use by process ${first.process.pid}`)])
    const [, advice = ''] = /A second simulator also needs .*?: (--\S.*)\.$/m.exec(stderr) ?? []
    await convsim(advice.split(' ')).ready()
    expect((await call({ origin }, '/v1/events', { body: event() })).status).toBe(201)
  })

  test('of a killed process is unlocked, even if its parent process never reaps it', async () => {
    const args = ['--port', '0', '--state', join(await tempFolder(), 'state.json')]
    const script = '"$0" "$@" & echo "pid $!"; exec sleep 60' // `sleep`, which never calls `wait`, replaces the shell
    const parent = startProgram('sh', ['-c', script, process.execPath, cli, ...args])
    await parent.ready()
    process.kill(Number(/^pid (\d+)$/m.exec(parent.stdout())?.[1]), 'SIGKILL')
    await convsim(args).ready()
  })
})

test('flags configure the simulation', async () => {
  const command = convsim([...inMemory, '--seed', '42', '--clock', '2026-01-15T12:00:00Z', '--no-cors', '--strict'])
  const origin = await command.ready()
  const info = objectOf(await call({ origin }, '/__sim/info', { token: null }))
  expect([info['seed'], info['now']]).toEqual(['42', '2026-01-15T12:00:00.000Z'])
  const nonNumeric = event({ value: 'many', valueType: 'numeric' })
  expect((await call({ origin }, '/v1/events', { body: nonNumeric })).status).toBe(400)
})
