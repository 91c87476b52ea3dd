import { describe, expect, test } from 'vitest'
import * as parser from '../../../src/command-line/parser/parse.ts'
import type { CommandSyntax } from '../../../src/command-line/parser/program.ts'
import { commands } from '../../../src/features/commands.ts'
import { furtherSettings } from '../../../src/server/settings/further-settings.ts'
import { flagOf, type Setting } from '../../../src/server/settings/setting.ts'
import { defaultSettings, serverSettings, variableOf } from '../../../src/server/settings/settings.ts'

type Invocation = parser.Invocation<CommandSyntax>

const parseCommandLine = (argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Invocation =>
  parser.parseCommandLine(commands, argv, env)

type Sample = { readonly good: string; readonly value: unknown; readonly bad: string | undefined }

/** The names of settings that accept any text except the empty string. */
const texts = 'contract fixtures tlsCert tlsKey scenario seedState rules plan out set only writes har patch'

const switchSample: Sample = { good: 'on', value: true, bad: 'perhaps' }

/** For each setting with a value: valid text, the parsed value, and non-empty invalid text (undefined if none). */
const samples: Readonly<Record<string, Sample>> = {
  ...Object.fromEntries(texts.split(' ').map((name) => [name, { good: 'my text', value: 'my text', bad: undefined }])),
  port: { good: '0', value: 0, bad: 'http' },
  host: { good: '0.0.0.0', value: '0.0.0.0', bad: undefined },
  overlay: { good: 'a.yaml, b.yaml', value: 'a.yaml, b.yaml', bad: ',' },
  state: { good: ':memory:', value: ':memory:', bad: 'mysql://db' },
  statePrefix: { good: 'team-a:convsim', value: 'team-a:convsim', bad: 'a{b}' },
  drain: { good: '0s', value: '0s', bad: '25d' },
  replica: { good: 'sim-2', value: 'sim-2', bad: 'two words' },
  seed: { good: 'a-seed', value: 'a-seed', bad: 'two words' },
  clock: { good: '2026-01-15', value: '2026-01-15', bad: 'noon' },
  controlToken: { good: 'let me in', value: 'let me in', bad: 'sécret' },
  controlOrigins: { good: 'http://localhost:6006', value: 'http://localhost:6006', bad: 'http://localhost:6006/app' },
  controlHosts: { good: 'sim.test', value: 'sim.test', bad: 'a b' },
  sandboxLimit: { good: '5', value: 5, bad: '0' },
  journalSize: { good: '0', value: 0, bad: '1000001' },
  analysesWindow: { good: '10s', value: '10s', bad: '1500ms' },
  maxAnalysesPerHour: { good: '5', value: 5, bad: '0' },
  models: { good: 'closed', value: 'closed', bad: 'some' },
  upstreamTimeout: { good: '5s', value: '5s', bad: 'soon' },
  bodyLimit: { good: '500kb', value: '500kb', bad: 'huge' },
  xRateLimit: { good: 'epoch', value: 'epoch', bad: 'on' },
  logLevel: { good: 'silent', value: 'silent', bad: 'loud' },
  logFormat: { good: 'json', value: 'json', bad: 'xml' },
  report: { good: 'out/report.html', value: 'out/report.html', bad: 'report.pdf' },
  timeout: { good: '1m', value: '1m', bad: '0s' },
  format: { good: 'json', value: 'json', bad: 'gitlab' },
  failOn: { good: 'violation, coverage<80', value: 'violation, coverage<80', bad: 'violations' },
  url: { good: 'http://127.0.0.1:4010', value: 'http://127.0.0.1:4010', bad: '127.0.0.1' },
  maxRuns: { good: '20', value: 20, bad: '0' },
  time: { good: '10m', value: '10m', bad: '0s' },
  runTimeout: { good: '24d', value: '24d', bad: '25d' },
  jobs: { good: '2', value: 2, bad: '0' },
  ids: { good: 'modelId=a,modelId=b', value: 'modelId=a,modelId=b', bad: 'modelId' },
  samples: { good: '5', value: 5, bad: '0' },
  env: { good: 'API_URL,BASE', value: 'API_URL,BASE', bad: 'API_URL,PATH' },
}

interface Row extends Sample {
  readonly command: CommandSyntax
  readonly name: string
  readonly flag: string
  readonly setting: Setting<unknown>
}

/** A row for each setting of each command. */
const rows: Row[] = commands.flatMap((command) =>
  Object.entries(command.settings).map(([name, setting]) => {
    const sample = setting.value === undefined ? switchSample : samples[name]
    if (!sample) throw new Error(`add a sample for the setting ${name} to this test`)
    return { command, name, flag: flagOf(name), setting, ...sample }
  }),
)

const isSwitch = ({ setting }: Row) => setting.value === undefined
const rowsWithValue = rows.filter((row) => !isSwitch(row))
const switches = rows.filter(isSwitch)
const withVariable = rows.flatMap((row) => {
  const variable = variableOf(row.name)
  return variable === undefined ? [] : [{ ...row, variable }]
})
const withoutVariable = rows.filter(({ name }) => variableOf(name) === undefined)
const rowsWithBadText = rows.flatMap((row) => (row.bad === undefined ? [] : [{ ...row, bad: row.bad }]))

function runOf(invocation: Invocation) {
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  return { ...invocation, command: invocation.command.name }
}

const settingsOf = (invocation: Invocation): Readonly<Record<string, unknown>> => runOf(invocation).settings

/** Returns a command line for the row's command with these flags and the flags that the setting requires. */
function commandLineOf({ command, name }: Row, ...flags: string[]): string[] {
  return [
    command.name,
    ...(name === 'statePrefix' || name === 'replica' ? ['--state', 'redis://cache'] : []),
    ...(name === 'sync' ? ['--state', 'a.json'] : []),
    ...(name === 'analysesWindow' ? ['--max-analyses-per-hour', '5'] : []),
    ...flags,
    ...operandsOf(command),
  ]
}

const operandsOf = (command: CommandSyntax) => (command.runsCommand ? ['--', 'npm', 'test'] : [])

function problemOf(invocation: Invocation): string {
  if (invocation.kind !== 'problem') throw new Error(JSON.stringify(invocation))
  return invocation.problem
}

function helpOf(argv: readonly string[]): string {
  const invocation = parseCommandLine(argv, {})
  if (invocation.kind !== 'help') throw new Error(JSON.stringify(invocation))
  return invocation.text
}

/** Defines one test for all rows, since separate tests would take 20 s. A failure names the row. */
function testAll<T extends Row>(testRows: readonly T[], title: string, check: (row: T) => void): void {
  test(title, () => {
    for (const row of testRows) {
      try {
        check(row)
      } catch (error) {
        throw new Error(`convsim ${row.command.name} ${row.flag}: ${String(error)}`, { cause: error })
      }
    }
  })
}

describe('every setting', () => {
  testAll(rowsWithValue, 'with a value is read from --flag VALUE and --flag=VALUE', (row) => {
    const { name, flag, good, value } = row
    const defaults = settingsOf(parseCommandLine(commandLineOf(row), {}))
    expect(settingsOf(parseCommandLine(commandLineOf(row, flag, good), {}))).toEqual({ ...defaults, [name]: value })
    const joined = commandLineOf(row, `${flag}=${good}`)
    expect(settingsOf(parseCommandLine(joined, {}))[name]).toEqual(value)
  })

  testAll(switches, 'without a value is turned on by its flag, and off by its --no- flag', (row) => {
    const { name, flag } = row
    const read = (switchFlag: string) => settingsOf(parseCommandLine(commandLineOf(row, switchFlag), {}))[name]
    expect(read(flag)).toBe(true)
    expect(read(flag.replace('--', '--no-'))).toBe(false)
  })

  testAll(withVariable, 'with a variable is read from that variable, unless the variable is empty', (row) => {
    const { command, name, variable, good, value } = row
    const read = (env: Record<string, string>) =>
      settingsOf(parseCommandLine([command.name, ...operandsOf(command)], env))
    expect(read({ [variable]: good })).toEqual({ ...read({}), [name]: value })
    expect(read({ [variable]: '' })).toEqual(read({}))
  })

  testAll(withoutVariable, 'without a variable is refused in the environment; the message names its flag', (row) => {
    const name = `CONVSIM_${row.flag.slice(2).replaceAll('-', '_').toUpperCase()}`
    expect(problemOf(parseCommandLine([], { [name]: row.good }))).toBe(
      `Unknown environment variable ${name}. Use the flag ${row.flag}.`,
    )
  })

  testAll(rows, 'is refused by every command that does not use it', (row) => {
    const { name, flag, good } = row
    for (const other of commands.filter(({ settings }) => !Object.hasOwn(settings, name))) {
      const words = [other.name, ...(isSwitch(row) ? [flag] : [flag, good]), ...operandsOf(other)]
      expect(problemOf(parseCommandLine(words, {}))).toMatch(
        new RegExp(
          `^${flag} (works only with convsim .+|has no effect on convsim ${other.name})\\. ` +
            `See convsim ${other.name} --help\\.$`,
        ),
      )
    }
  })

  testAll(rowsWithBadText, 'with an invalid value is refused, and the message says which values are valid', (row) => {
    const { command, name, flag, setting, bad } = row
    const variable = variableOf(name)
    const message = `takes ${setting.expected}; got "${bad}"`
    if (variable !== undefined)
      expect(problemOf(parseCommandLine([command.name, ...operandsOf(command)], { [variable]: bad }))).toContain(
        `${variable} ${message}`,
      )
    if (!isSwitch(row))
      expect(problemOf(parseCommandLine(commandLineOf(row, flag, bad), {}))).toContain(`${flag} ${message}`)
  })

  testAll(rows, 'has a description, a well-formed name and a valid default', (row) => {
    const { name, setting } = row
    expect(row.flag).toMatch(/^--[a-z]+(-[a-z]+)*$/)
    expect(setting.description).toMatch(/^[A-Z].*\.$/)
    expect(variableOf(name) ?? 'CONVSIM_X').toMatch(/^CONVSIM_[A-Z_]+$/)
    if (setting.default !== undefined) expect(setting.read(String(setting.default))).toEqual(setting.default)
  })

  test.each(commands)('of $name has a unique short flag, if it has one', ({ settings }) => {
    const shorts = Object.values(settings).flatMap(({ short }) => short ?? [])
    expect(new Set(shorts).size).toBe(shorts.length)
  })
})

type Env = Readonly<Record<string, string>>

const hostCase = (HOST: string, host: string): [string[], Env, string, string] => [[], { HOST }, 'host', host]

test.each<[string[], Env, string, unknown]>([
  [['-p', '1'], { CONVSIM_PORT: '2', PORT: '3' }, 'port', 1],
  [[], { CONVSIM_PORT: '2', PORT: '3' }, 'port', 2],
  [[], { SIM_PORT: '2', PORT: '3' }, 'port', 3],
  [[], { CONVSIM_PORT: '', PORT: '3' }, 'port', 3],
  [[], {}, 'port', 4010],
  [['--port', '1'], { PORT: 'http' }, 'port', 1],
  [['--seed=--strict', '-p', '1'], {}, 'seed', '--strict'],
  [['--no-strict'], { CONVSIM_STRICT: 'true' }, 'strict', false],
  [['--cors'], { CONVSIM_CORS: 'off' }, 'cors', true],
  [['-h', '0.0.0.0', '--control-open'], {}, 'host', '0.0.0.0'],
  [['-h::1'], {}, 'host', '::1'],
  ...['0.0.0.0', '192.0.2.7', '::', '::1', 'localhost'].map((host) => hostCase(host, host)),
  ...['x86_64-pc-linux-gnu', 'my-laptop', '256.0.0.1'].map((host) => hostCase(host, '127.0.0.1')),
  [['--host', 'my-laptop'], { HOST: 'x86_64-pc-linux-gnu' }, 'host', 'my-laptop'],
  [[], { HOST: 'x86_64-pc-linux-gnu', CONVSIM_HOST: 'my-laptop' }, 'host', 'my-laptop'],
])('%j with %o sets %s to %j', (argv, env, name, value) => {
  expect(settingsOf(parseCommandLine(argv, env))[name]).toEqual(value)
})

test.each([
  ['strict', ['true', 'ON', '1', 'yes', 'false', 'off', '0', 'no'], ['', 'maybe', 'on ']],
  ['port', ['0', '65535'], ['1e3', '0x10', '+5', '-1', '1.5', ' 5', '5 ', '', '99999999999999999999', 'Infinity']],
  ['controlToken', ['a'], ['', ' a', 'a ', 'a\nb', 'a\u0000', 'a'.repeat(1001)]],
  [
    'clock',
    ['real', '2026-01-15T12:00:00Z', '2026-01-15', '1900-01-01'],
    ['0001-01-01', '9999-12-31T23:59:59-23:59', '2026-02-30', ''],
  ],
] as const)('%s accepts %j, but not %j', (name, valid, invalid) => {
  const isAccepted = (text: string) => serverSettings[name].read(text) !== undefined
  expect(valid.filter((text) => !isAccepted(text))).toEqual([])
  expect(invalid.filter(isAccepted)).toEqual([])
})

describe('a command line', () => {
  test.each(commands)('can name the command $name before or after the flags', (command) => {
    const operands = command.runsCommand ? ['--', 'npm', 'test', '--port', '2'] : []
    const [name = ''] = Object.keys(command.settings)
    const { good = '', value } = rows.find((row) => row.command === command && row.name === name) ?? {}
    const settings = { [name]: value }
    const flag = value === true ? [flagOf(name)] : [flagOf(name), good]
    for (const words of [
      [command.name, ...flag],
      [...flag, command.name],
    ])
      expect(parseCommandLine([...words, ...operands], {})).toMatchObject({ kind: 'run', command, settings })
  })

  test('for exec passes everything after "--" to the command and uses the defaults of exec', () => {
    const words = ['npm', 'test', '--', '--port', '2']
    const parsed = parseCommandLine(['exec', '--env', 'A', '--env=B', '--', ...words], { PORT: '3000', HOST: 'x' })
    expect(runOf(parsed)).toMatchObject({
      command: 'exec',
      args: words,
      settings: { port: 0, host: '127.0.0.1', state: ':memory:', logLevel: 'warn', env: 'A,B' },
    })
    const env = { CONVSIM_PORT: '1', CONVSIM_LOG_LEVEL: 'info' }
    const overridden = parseCommandLine(['exec', '--state', 'a.json', '--', 'x'], env)
    expect(settingsOf(overridden)).toMatchObject({ port: 1, state: 'a.json', logLevel: 'info' })
  })

  const kubernetes = (prefix: string) => ({
    [`${prefix}_SERVICE_HOST`]: '10.0.0.1',
    [`${prefix}_SERVICE_PORT_HTTP`]: '4010',
    [`${prefix}_PORT`]: 'tcp://10.0.0.1:4010',
    [`${prefix}_PORT_4010_TCP_PROTO`]: 'tcp',
  })

  test.each<[string[], Env, object]>([
    [[], {}, { command: 'serve', args: [], settings: defaultSettings() }],
    [['my.yaml'], {}, { command: 'serve', args: ['my.yaml'] }],
    [['mock', 'my.yaml', '-p', '0'], {}, { command: 'serve', args: ['my.yaml'], settings: { port: 0 } }],
    [['./server'], {}, { command: 'serve', args: ['./server'] }],
    [['check', 'a', 'b', 'c'], {}, { command: 'check', args: ['a', 'b', 'c'] }],
    [['assumptions'], { CONVSIM_REPORT: 'y.html' }, { command: 'assumptions' }],
    // Variables that exec or Kubernetes sets are ignored, and so are unknown variables without the prefix CONVSIM_.
    [['check'], { CONVSIM_BASE_URL: 'http://a/v1', CONVSIM_CONTROL_URL: 'http://a/__sim' }, { command: 'check' }],
    [[], { ...kubernetes('CONVSIM'), PORT: '5000' }, { settings: { port: 5000 } }],
    [[], { SIM_DEVICE: '1', PATH: '/bin', convsim_port: '1' }, { command: 'serve' }],
  ])('%j with %o is parsed as %o', (argv, env, invocation) => {
    expect(runOf(parseCommandLine(argv, env))).toMatchObject(invocation)
  })

  test.each<[string[], RegExp]>([
    ...[[], ['--'], ['--seed', '2']].map((words): [string[], RegExp] => [
      ['exec', ...words],
      /^No command was given\. Usage: convsim exec \[options\] -- COMMAND\.$/,
    ]),
    [['exec', '--', ''], /^The command name is empty/],
    [
      ['exec', '--seed', '2', 'npm', 'test', '--ci'],
      /^Put -- before the command: convsim exec --seed 2 -- npm test --ci\.$/,
    ],
    [['each', 'npm'], /^Put -- before the command: convsim each -- npm\.$/],
    [['--port', '0', 'exec', 'npm'], /^Put -- before the command: convsim exec --port 0 -- npm\.$/],
    [['exec', 'npm', '--', 'test'], /^convsim exec takes only flags before "--"; got npm/],
    [['--fail-on', 'violation,coverage'], /^--fail-on: coverage needs a limit, as in coverage<80\./],
    [['constructor'], /"constructor" is not a command/],
    [['server'], /"server" is not a command \(serve, exec, each/],
    [['help', 'nothing'], /^"nothing" is not a command \(serve/],
    [['contract', '--help'], /^"contract" is not a command \(serve/],
    [['healthcheck', 'a'], /^convsim healthcheck takes only flags; got a\.$/],
    [['serve', 'a', 'b'], /one contract document/],
    [['--contract', 'a.yaml', 'b.yaml'], /^convsim serve takes one contract; got --contract a\.yaml and b\.yaml\./],
    [['--body-limit', '5gb'], /takes a size of at least 1 byte, in b, kb or mb,/],
    [['--prot', '1'], /^unknown option '--prot'\. Did you mean --port\? See convsim serve --help\.$/],
    [['--port'], /--port.*argument missing.*--help/],
    [['--seed', '--strict'], /^--seed needs a value before --strict\. See convsim --help\.$/],
    [['--host', '--port=0'], /^--host needs a value before --port=0\./],
    [['-x'], /unknown option '-x'/],
    [['serve', '--strict=yes'], /^--strict takes no value\. See convsim serve --help\.$/],
    [['serve', '--no-cors=yes'], /^--no-cors takes no value\./],
    [['serve', '--no-port'], /^unknown option '--no-port'/],
    [['exec', '--format', 'json', '--', 'x'], /^--format works only with convsim check and drift\./],
    [['check', '--format', 'gitlab'], /takes text, json, github or markdown; got "gitlab"/],
  ])('%j is refused', (argv, words) => {
    expect(problemOf(parseCommandLine(argv, {}))).toMatch(words)
  })

  test.each([
    ['CONVSIM_PROT', 'Did you mean CONVSIM_PORT?'],
    ['CONVSIM_TELEMETRY_OFF', 'See convsim serve --help --all.'],
  ])('with the unknown variable %s is refused, and the message says what to do', (name, next) => {
    const problem = `Unknown environment variable ${name}. ${next}`
    expect(problemOf(parseCommandLine([], { [name]: '1' }))).toBe(problem)
  })

  test.each([[['serve', '--version', '--port', 'x']], [['-v']], [['check', '-v']], [['version']]])(
    '%j shows the version',
    (argv) => {
      expect(parseCommandLine(argv, {})).toEqual({ kind: 'version' })
    },
  )
})

describe('the help', () => {
  test.each<[string[], string]>([
    ...[['--help'], ['-h'], ['-p', 'x', '-h'], ['-h', '--port', '1'], ['help'], ['--seed', 'exec', '--help']].map(
      (argv): [string[], string] => [argv, '[command]'],
    ),
    [['--report', 'exec', 'check', '--help'], 'check'],
    ...commands.flatMap(({ name }) =>
      [
        [name, '--help'],
        ['--help', name],
        [name, '-h'],
        ['-h', name],
        ['help', name],
      ].map((argv): [string[], string] => [argv, name]),
    ),
  ])('that %j prints is for convsim %s', (argv, name) => {
    expect(helpOf(argv).startsWith(`Usage: convsim ${name} `)).toBe(true)
  })

  test.each(commands)(
    'for $name describes the command and lists examples and flags; the short help has at most 60 lines',
    (command) => {
      const { name, settings, description, examples } = command
      const text = helpOf([name, '--help', '--all'])
      const flags = [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
      const expectedFlags = Object.entries<Setting<unknown>>(settings).flatMap(([key, { value }]) =>
        value === undefined ? [flagOf(key), flagOf(key).replace('--', '--no-')] : [flagOf(key)],
      )
      expect(flags).toEqual([...expectedFlags, '--help'])
      expect(text.replace(/\s+/g, ' ')).toContain(description)
      expect(text).toMatch(new RegExp(`Examples:\n  convsim ${name}`))
      const [short, all] = [helpOf([name, '--help']), text].map((help) => help.replaceAll(/Examples:[\s\S]*?\n\n/g, ''))
      for (const lines of [short, all]) expect(lines?.split('\n').filter((line) => line.length > 80)).toEqual([])
      expect(short?.split('\n').length).toBeLessThanOrEqual(60)
      for (const key of Object.keys(settings))
        expect(short?.includes(`${flagOf(key)} `)).toBe(!Object.hasOwn(furtherSettings, key))
      for (const example of examples) expect(runOf(parseCommandLine(example.split(' '), {})).command).toBe(name)
    },
  )
})
