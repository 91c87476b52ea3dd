import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isObject } from '../../src/core/json.ts'
import { version } from '../../src/fixtures/bundled.ts'
import { inputs } from '../support/catalogue.ts'
import { allOperations, analyticsPath, ask, errorOf, event, objectOf } from '../support/client.ts'
import { convsim, run } from '../support/command.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { startForTest } from '../support/start.ts'
import { eventsIn, parseStateFile } from '../support/state-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const memory = ['--port', '0', '--state', ':memory:']

/** Returns a port that another server listens on. */
async function takenPort(): Promise<number> {
  const { server, port } = await startListener()
  onTestFinished(() => void server.close())
  return port
}

/** Returns ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const taken = await Promise.all(Array.from({ length: count }, startListener))
  await Promise.all(taken.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  return taken.map(({ port }) => port)
}

async function startListener() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port } // a server on a port has no other kind of address
}

async function stop(command: ReturnType<typeof convsim>) {
  command.process.kill('SIGTERM')
  const code = await command.ended
  return { code, lines: command.stdout().split('\n').slice(0, -1) }
}

describe('the ready line', () => {
  test('is one JSON line on stdout if stdout is no terminal', async () => {
    const command = convsim(memory)
    const origin = await command.ready()
    expect((await ask({ origin }, '/__sim/health', { token: null })).status).toBe(200)
    const { code, lines } = await stop(command)
    expect(code).toBe(0)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        msg: `convsim ${version} is listening on ${origin}`,
        baseUrl: `${origin}/v1`,
      },
    ])
  })

  test('is one line for people with --log-format pretty', async () => {
    const command = convsim([...memory, '--log-format', 'pretty'])
    const origin = await command.ready()
    await ask({ origin }, analyticsPath)
    const { lines } = await stop(command)
    expect(lines).toEqual([`convsim ${version} is listening on ${origin} (base URL ${origin}/v1)`])
  })

  test('comes when requests are answered and the state is loaded', async () => {
    const command = convsim(memory)
    expect((await ask({ origin: await command.ready() }, analyticsPath)).status).toBe(200)
  })

  test('is the only line on stdout; the log goes to stderr', async () => {
    const command = convsim([...memory, '--log-level', 'info'])
    const origin = await command.ready()
    await ask({ origin }, '/v1/events', { body: event({ value: 1 }) })
    const { lines } = await stop(command)
    expect(lines.length).toBe(1)
    expect(command.stderr()).toMatch(/"answered"/)
  })

  test('--log-level silent leaves stderr empty', async () => {
    const command = convsim([...memory, '--log-level', 'silent'])
    const origin = await command.ready()
    await ask({ origin }, analyticsPath)
    await stop(command)
    expect(command.stderr()).toBe('')
  })
})

test('the start logs in one line what it loaded', async () => {
  const command = convsim(memory)
  await command.untilStderr(/"loaded"/)
  const loaded = command
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"loaded"'))
    .map((line) => JSON.parse(line))
  expect(loaded).toMatchObject([
    {
      operations: allOperations.length,
      personas: inputs.fixtures.personas.length,
      models: inputs.fixtures.models.length,
      state: { file: ':memory:', events: 0, prompts: 0 },
    },
  ])
})

describe('the address', () => {
  test('is read from PORT and HOST of the environment', async () => {
    const [port] = await freePorts(1)
    const command = convsim(['--state', ':memory:'], { env: { PORT: String(port), HOST: 'localhost' } })
    expect(await command.ready()).toBe(`http://localhost:${port}`)
  })

  test('is the default, with a line in the log, where HOST is no address', async () => {
    const command = convsim(memory, { env: { HOST: 'x86_64-pc-linux-gnu' } })
    expect(await command.ready()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await command.untilStderr(/HOST is not used, since \\"x86_64-pc-linux-gnu\\" is not an IP address/)
  })

  test.each([
    [['--control-open'], { HOST: '203.0.113.1' }, /--host \(from HOST\): error: Cannot listen on 203\.0\.113\.1/],
    [[], { HOST: '0.0.0.0' }, /--host \(from HOST\): error: Listening on 0\.0\.0\.0/],
    [['--host', '0.0.0.0'], { HOST: '::1' }, /--host: error: Listening on 0\.0\.0\.0/],
    [[], { CONVSIM_SCENARIO: 'nonsense' }, /--scenario \(from CONVSIM_SCENARIO\): error: /],
  ])('that cannot be used names its variable: %j %o', async (args, env, words) => {
    const { code, stderr } = await run([...memory, ...args], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(words)
  })

  test('names the variable of a port that is taken', async () => {
    const port = await takenPort()
    const { code, stderr } = await run(['--state', ':memory:'], { env: { PORT: String(port) } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/--port \(from PORT\): error: Port \d+ on 127\.0\.0\.1 is taken/)
  })

  test('has the port of the flag, else of CONVSIM_PORT, else of PORT', async () => {
    const [ours, flag] = await freePorts(2)
    const env = { PORT: '1', CONVSIM_PORT: String(ours), CONVSIM_STATE: ':memory:' }
    expect(await convsim([], { env }).ready()).toBe(`http://127.0.0.1:${ours}`)
    expect(await convsim(['-p', String(flag)], { env }).ready()).toBe(`http://127.0.0.1:${flag}`)
  })

  test('of IPv6 is in brackets, and healthcheck finds it', async () => {
    const command = convsim([...memory, '--host', '::1'])
    const origin = await command.ready()
    expect(origin).toMatch(/^http:\/\/\[::1\]:\d+$/)
    const { code, stdout } = await run(['healthcheck', '--host', '::1', '--port', new URL(origin).port])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('healthy') })
  })

  test('ends the start with 1 and a hint if its port is taken', async () => {
    const port = await takenPort()
    const { code, stdout, stderr } = await run(['--port', String(port), '--state', ':memory:'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken.*--port`))
  })

  test('leaves the state file unlocked if its port is taken', { tags: ['long'] }, async () => {
    const state = join(await tempFolder(), 'state.json')
    await run(['--port', String(await takenPort()), '--state', state])
    const command = convsim(['--port', '0', '--state', state])
    await command.ready()
    expect(command.stderr()).not.toMatch(/tookOverFrom/)
  })

  test.each([
    [['-h', 'foo.invalid'], {}],
    [[], { CONVSIM_HOST: 'x86_64-pc-linux-gnu' }],
    [['-h', '203.0.113.1'], {}],
  ])('says that a host is none of this machine before it asks for a token: %j %o', async (args, env) => {
    const { code, stderr } = await run([...memory, ...args], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/Cannot listen on .*Choose an address of this machine with --host/)
    expect(stderr).not.toContain('--control-token')
  })

  test('is taken from HOST=LOCALHOST in any case', { tags: ['long'] }, async () => {
    const command = convsim(memory, { env: { HOST: 'LOCALHOST' } })
    expect(await command.ready()).toContain('LOCALHOST')
  })

  test('ends the start with 1 if its host is not one of this machine', { tags: ['long'] }, async () => {
    const { code, stderr } = await run([...memory, '--host', '203.0.113.1', '--control-open'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/203\.0\.113\.1.*--host/)
  })
})

describe('a bad setting ends the start with 1 and states what is valid', { tags: ['long'] }, () => {
  test.each([
    [['--port', 'http'], {}, /^convsim: --port takes a whole number from 0 to 65535; got "http"/],
    [['--prot', '1'], {}, /^convsim: unknown option.*--prot/],
    [[], { CONVSIM_PORT: 'http' }, /^convsim: CONVSIM_PORT takes a whole number/],
    [
      ['--scenario', 'nonsense'],
      {},
      /--scenario: error: There is no scenario "nonsense"\. convsim scenarios and GET \/__sim\/catalogue list all/,
    ],
    [['--scenario', 'slo'], {}, /Did you mean "slow"\?/],
    [['--plan', 'grow'], {}, /--plan: error: There is no plan "grow"\. Did you mean "growth"\?/],
    [['--prot', '1'], {}, /^convsim: unknown option '--prot'\. Did you mean --port\? See convsim serve --help\.$/m],
    [
      ['--log-level', 'inof'],
      {},
      /^convsim: --log-level takes .*; got "inof"\. Did you mean "info"\? See convsim serve --help\.$/m,
    ],
    [
      ['--fail-on', 'manners,violatons'],
      {},
      /got "manners,violatons"\. Did you mean "violation"\? See convsim serve --help\.$/m,
    ],
    [['exce'], {}, /^convsim: "exce" is no command .*no file name\. Did you mean "exec"\?/],
    [['no-such-file.yaml'], {}, /no-such-file\.yaml: error: .*there is no such file \(--contract\)/],
    [['--contract', 'no.yaml'], {}, / no\.yaml: error: .*there is no such file \(--contract\)/],
    [['--scenarios', 'no.yaml'], {}, / no\.yaml: error: .*there is no such file \(--rules\)/],
    [['--seed-state', 'no.json'], {}, / no\.json: error: .*there is no such file \(--seed-state\)/],
    [
      ['--fixtures', 'package.json'],
      {},
      / package\.json: error: is a file, and a folder is expected; .*keys\.yaml.* \(--fixtures\)\s*$/,
    ],
    [['--fixtures', 'no'], {}, / no: error: there is no such folder; .*keys\.yaml.* \(--fixtures\)/],
    [['--report', 'no/report.md'], {}, / no\/report\.md: error: there is no folder no\..*\(--report\)/],
    ...(
      [
        ['CONTRACT', '--contract'],
        ['FIXTURES', '--fixtures'],
        ['RULES', '--rules'],
        ['SCENARIOS', '--rules'],
        ['SEED_STATE', '--seed-state'],
        ['REPORT', '--report'],
      ] as const
    ).map(([name, flag]) => [
      [],
      { [`CONVSIM_${name}`]: 'no/x.md' },
      new RegExp(` no/x\\.md: error: .*\\(${flag} from CONVSIM_${name}\\)`),
    ]),
    [
      [],
      { CONVSIM_CONTRACT: 'package.json' },
      /package\.json(:\d+:\d+)?: error: .*\(--contract from CONVSIM_CONTRACT\)/,
    ],
  ] as [string[], Record<string, string>, RegExp][])('%j %o', async (args, env, words) => {
    const { code, stdout, stderr } = await run(args, {
      env: { CONVSIM_STATE: ':memory:', CONVSIM_PORT: '0', CONVSIM_LOG_FORMAT: 'pretty', ...env },
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(words)
    expect(stderr).not.toMatch(/ at .*\.js:\d+/)
  })
})

test('a bad document ends the start with 1; all faults are printed, each with its place', async () => {
  const file = await documentWith('avgConversationQualityIndex: 0.8528', 'avgConversationQualityIndex: high')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('operationId: createEvent', 'operationId: createPrompt'))
  const args = [...memory, '--log-format', 'pretty', '--contract', file]
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/contract\.yaml:\d+:\d+: error: .*avgConversationQualityIndex.*must be a number or null/)
  expect(stderr).toMatch(/contract\.yaml:\d+:\d+: error: .*operationId "createPrompt" is taken/)
})

test('a bad fixture ends the start and names its entry', async () => {
  const fixtures = await fixturesWith('keys.yaml', 'scenario: bad-request', 'scenario: very-bad-request')
  await expect(startForTest({ fixtures })).rejects.toThrow(/key key_bad_request: .*very-bad-request/)
})

describe('the state', () => {
  test('is stored below the working folder by default, and loaded at the next start', async () => {
    const cwd = await tempFolder()
    const first = convsim(['--port', '0'], { cwd })
    const origin = await first.ready()
    await ask({ origin }, '/v1/events', { body: event({ insertId: 'order-1' }) })
    await stop(first)
    const kept = parseStateFile(await readFile(join(cwd, '.convsim/state.json'), 'utf8'))
    expect(eventsIn(kept)).toMatchObject([{ fields: { insertId: 'order-1' } }])
    const second = convsim(['--port', '0'], { cwd })
    await second.ready()
    await second.untilStderr(/"state":\{"file":"[^"]*state\.json","sandboxes":1,"events":1,"prompts":0/)
  })

  test('needs no file with :memory:', async () => {
    const cwd = await tempFolder()
    const command = convsim(memory, { cwd })
    const origin = await command.ready()
    await ask({ origin }, '/v1/events', { body: event() })
    await stop(command)
    expect(existsSync(join(cwd, '.convsim'))).toBe(false)
    expect(existsSync(join(cwd, ':memory:'))).toBe(false)
  })

  test.each([
    ['cut off', '{"kind": "convsim state", "format": 1, "sandboxes": ['],
    ['empty', ''],
    ['no JSON', 'hello'],
    ['of another program', '{"name": "my-package", "version": "1.0.0"}'],
    ['of a newer format', '{"kind": "convsim state", "format": 999}'],
    ['of the wrong shape', '{"kind": "convsim state", "format": 1, "seq": 0, "sandboxes": {}}'],
  ])('that is %s ends the start with its name, and is not overwritten', async (_name, text) => {
    const folder = await tempFolder()
    const file = join(folder, 'state.json')
    await writeFile(file, text)
    const { code, stdout, stderr } = await run(['--port', '0', '--state', file])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(file)
    expect(stderr).not.toMatch(/ at .*\.js:\d+/)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('that cannot be written ends the start with 1 and its name', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'file'), '')
    await mkdir(join(folder, 'folder'))
    for (const state of [join(folder, 'file', 'state.json'), join(folder, 'folder')]) {
      const { code, stdout, stderr } = await run(['--port', '0', '--state', state])
      expect({ state, code, stdout }).toEqual({ state, code: 1, stdout: '' })
      expect(stderr).toContain(state)
      expect(stderr).not.toMatch(/ at .*\.js:\d+/)
    }
  })

  test('of a running process is refused to a second one', async () => {
    const state = join(await tempFolder(), 'state.json')
    const first = convsim(['--port', '0', '--state', state])
    const origin = await first.ready()
    const { code, stderr } = await run(['--port', '0', '--state', state, '--log-format', 'pretty'])
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`in use by process ${first.process.pid}`))
    const [, advice = ''] = /A second simulator needs .*: (--\S.*)\.$/m.exec(stderr) ?? []
    await convsim(advice.split(' ')).ready()
    expect((await ask({ origin }, '/v1/events', { body: event() })).status).toBe(201)
  })

  test('whose folder is removed while the process runs makes it refuse writes, with a word in answer and log', async () => {
    const folder = join(await tempFolder(), '.convsim')
    const command = convsim(['--port', '0', '--state', join(folder, 'state.json')])
    const origin = await command.ready()
    const post = () => ask({ origin }, '/v1/events', { body: event(), may500: true })
    expect((await post()).status).toBe(201)
    await rm(folder, { recursive: true })
    const refused = await post()
    expect(refused.status).toBe(500)
    expect(errorOf(refused)).toContain(`its folder ${folder} was removed`)
    await command.untilStderr(/the state cannot be written/)
    const exported = await ask({ origin }, '/__sim/export', { token: null })
    expect(objectOf(exported)['events']).toHaveLength(1)
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(1)
    expect(existsSync(folder)).toBe(false)
  })

  test('that lost its last entry in a crash is loaded with a warning', async () => {
    const state = join(await tempFolder(), 'state.json')
    const first = convsim(['--port', '0', '--state', state])
    const origin = await first.ready()
    for (let count = 0; count < 2; count += 1) await ask({ origin }, '/v1/events', { body: event() })
    first.process.kill('SIGKILL')
    await first.ended
    const log = await readFile(`${state}.journal`)
    await writeFile(`${state}.journal`, log.subarray(0, -20))
    const second = convsim(['--port', '0', '--state', state])
    await second.ready()
    await second.untilStderr(/the last entry \(2\) is cut off after \d+ bytes/)
  })
})

test('flags reach the simulation', async () => {
  const command = convsim([...memory, '--seed', '42', '--clock', '2026-01-15T12:00:00Z', '--no-cors', '--strict'])
  const origin = await command.ready()
  const info = (await ask({ origin }, '/__sim/info', { token: null })).body
  expect(isObject(info) && [info['seed'], info['now']]).toEqual(['42', '2026-01-15T12:00:00.000Z'])
  const odd = event({ value: 'many', valueType: 'numeric' })
  expect((await ask({ origin }, '/v1/events', { body: odd })).status).toBe(400)
})
