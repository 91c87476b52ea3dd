import { describe, expect, test } from 'vitest'
import { commands, type Invocation, parseCommandLine } from '../../src/config/arguments.ts'
import type { Setting } from '../../src/config/setting.ts'
import {
  allSettings,
  defaultSettings,
  type Settings,
  settingTable,
  variableOf,
} from '../../src/config/settings.ts'

/** A valid text of each setting with its value, and an invalid one; undefined: all texts are valid. A missing row fails. */
const samples: {
  [Name in keyof Settings]: { good: string; means: Settings[Name]; bad: string | undefined }
} = {
  port: { good: '0', means: 0, bad: 'http' },
  host: { good: '0.0.0.0', means: '0.0.0.0', bad: undefined },
  contract: { good: 'a.yaml', means: 'a.yaml', bad: undefined },
  fixtures: { good: 'folder', means: 'folder', bad: undefined },
  state: { good: ':memory:', means: ':memory:', bad: undefined },
  seed: { good: 'a-world', means: 'a-world', bad: 'two words' },
  clock: { good: '2026-01-15', means: '2026-01-15', bad: 'noon' },
  scenario: { good: 'forbidden', means: 'forbidden', bad: undefined },
  seedState: { good: 'export.json', means: 'export.json', bad: undefined },
  scenarios: { good: 'rules.yaml', means: 'rules.yaml', bad: undefined },
  controlToken: { good: 'let me in', means: 'let me in', bad: 'sécret' },
  controlOpen: { good: 'on', means: true, bad: 'perhaps' },
  controlOrigins: {
    good: 'http://localhost:6006',
    means: 'http://localhost:6006',
    bad: 'http://localhost:6006/app',
  },
  controlHosts: { good: 'sim.test', means: 'sim.test', bad: undefined },
  sandboxLimit: { good: '5', means: 5, bad: '0' },
  journalSize: { good: '0', means: 0, bad: '1000001' },
  sandboxIdle: { good: '90s', means: '90s', bad: 'soon' },
  plan: { good: 'free', means: 'free', bad: undefined },
  maxAnalysesPerHour: { good: '5', means: 5, bad: '0' },
  models: { good: 'closed', means: 'closed', bad: 'some' },
  sync: { good: 'yes', means: true, bad: 'perhaps' },
  strict: { good: 'true', means: true, bad: 'perhaps' },
  cacheSize: { good: '50', means: 50, bad: '-1' },
  bodyLimit: { good: '500kb', means: '500kb', bad: 'huge' },
  importLimit: { good: '2mb', means: '2mb', bad: 'all' },
  cors: { good: 'off', means: false, bad: 'perhaps' },
  simHeaders: { good: 'no', means: false, bad: 'perhaps' },
  logLevel: { good: 'silent', means: 'silent', bad: 'loud' },
  logFormat: { good: 'json', means: 'json', bad: 'xml' },
  logBodies: { good: 'on', means: true, bad: 'some' },
  report: { good: 'out/report.html', means: 'out/report.html', bad: 'report.pdf' },
  failOn: { good: 'violation, coverage<80', means: 'violation, coverage<80', bad: 'violations' },
  env: { good: 'API_URL,BASE', means: 'API_URL,BASE', bad: 'API_URL,PATH' },
}

interface Row {
  readonly name: keyof Settings
  readonly setting: Setting<unknown>
  readonly good: string
  readonly means: unknown
  readonly bad: string | undefined
}

const isName = (name: string): name is keyof Settings => Object.hasOwn(samples, name)

const rows: Row[] = allSettings.map(([name, setting]) => {
  if (!isName(name)) throw new Error(`give the setting ${name} a row in this test`)
  return { name, setting, ...samples[name] }
})

const isSwitch = ({ setting }: Row) => setting.value === undefined
const valued = rows.filter((row) => !isSwitch(row))
const switches = rows.filter(isSwitch)
const refusing = rows.flatMap((row) => (row.bad === undefined ? [] : [{ ...row, bad: row.bad }]))

function settingsOf(invocation: Invocation): Settings {
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  return invocation.settings
}

function problemOf(invocation: Invocation): string {
  if (invocation.kind !== 'problem') throw new Error(JSON.stringify(invocation))
  return invocation.problem
}

test('no arguments and no environment serve with the defaults', () => {
  expect(parseCommandLine([], {})).toEqual({
    kind: 'run',
    command: 'serve',
    files: [],
    settings: defaultSettings(),
  })
})

describe('every setting', () => {
  test.each(valued)('--$setting.flag VALUE is read', ({ name, setting, good, means }) => {
    expect(settingsOf(parseCommandLine([`--${setting.flag}`, good], {}))).toEqual({
      ...defaultSettings(),
      [name]: means,
    })
    expect(settingsOf(parseCommandLine([`--${setting.flag}=${good}`], {}))[name]).toEqual(means)
  })

  test.each(switches)('--$setting.flag switches on, --no-$setting.flag off', ({ name, setting }) => {
    expect(settingsOf(parseCommandLine([`--${setting.flag}`], {}))[name]).toBe(true)
    expect(settingsOf(parseCommandLine([`--no-${setting.flag}`], {}))[name]).toBe(false)
  })

  test.each(rows)('$setting.flag is read from the environment', ({ name, setting, good, means }) => {
    expect(settingsOf(parseCommandLine([], { [variableOf(setting)]: good }))).toEqual({
      ...defaultSettings(),
      [name]: means,
    })
  })

  test.each(rows)('an empty variable of $setting.flag counts as not set', ({ setting }) => {
    expect(settingsOf(parseCommandLine([], { [variableOf(setting)]: '' }))).toEqual(defaultSettings())
  })

  test.each(refusing)(
    'an invalid $setting.flag is refused with its name and what is valid',
    ({ setting, bad }) => {
      const variable = variableOf(setting)
      const message = `takes ${setting.expected}; got "${bad}"`
      expect(problemOf(parseCommandLine([], { [variable]: bad }))).toContain(`${variable} ${message}`)
      if (setting.value !== undefined)
        expect(problemOf(parseCommandLine([`--${setting.flag}`, bad], {}))).toContain(
          `--${setting.flag} ${message}`,
        )
    },
  )

  test.each(rows)('$setting.flag has a description and a regular name', ({ setting, name }) => {
    expect(setting.flag).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(setting.flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())).toBe(name)
    expect(setting.description).toMatch(/^[A-Z].*\.$/)
    expect(variableOf(setting)).toMatch(/^SIM_[A-Z_]+$/)
  })

  test.each(rows)('the default of $setting.flag is valid', ({ setting }) => {
    if (setting.default === undefined) expect(setting.defaultText).toBeDefined()
    else expect(setting.read(String(setting.default))).toEqual(setting.default)
  })

  test('has a unique flag and short form', () => {
    const names = rows.flatMap(({ setting }) => [setting.flag, setting.short ?? setting.flag.slice(0)])
    const shorts = rows.flatMap(({ setting }) => setting.short ?? [])
    expect(new Set(rows.map(({ setting }) => setting.flag)).size).toBe(rows.length)
    expect(new Set(shorts).size).toBe(shorts.length)
    expect(names.length).toBe(2 * rows.length)
  })
})

describe('precedence: flag > environment > default', () => {
  test.each([
    [['-p', '1'], { SIM_PORT: '2', PORT: '3' }, 1],
    [[], { SIM_PORT: '2', PORT: '3' }, 2],
    [[], { PORT: '3' }, 3],
    [[], { SIM_PORT: '', PORT: '3' }, 3],
    [[], {}, 4010],
  ])('%j with %o', (argv, env, port) => {
    expect(settingsOf(parseCommandLine(argv, env)).port).toBe(port)
  })

  test('an invalid variable is ignored if a flag overrides it', () => {
    expect(settingsOf(parseCommandLine(['--port', '1'], { PORT: 'http' })).port).toBe(1)
  })

  test('a flag overrides a switch of the environment', () => {
    expect(settingsOf(parseCommandLine(['--no-strict'], { SIM_STRICT: 'true' })).strict).toBe(false)
    expect(settingsOf(parseCommandLine(['--cors'], { SIM_CORS: 'off' })).cors).toBe(true)
  })
})

describe('numbers', () => {
  test.each(['1e3', '0x10', '+5', '-1', '1.5', ' 5', '5 ', '', '99999999999999999999', 'Infinity'])(
    '%j is no port',
    (text) => {
      expect(settingTable.port.read(text)).toBeUndefined()
    },
  )
})

describe('the clock', () => {
  test.each([
    ['real', true],
    ['2026-01-15T12:00:00Z', true],
    ['2026-01-15', true],
    ['1900-01-01', true],
    ['0001-01-01', false],
    ['9999-12-31T23:59:59-23:59', false],
    ['2026-02-30', false],
    ['', false],
  ])('%j: %s', (text, right) => {
    expect(settingTable.clock.read(text) !== undefined).toBe(right)
  })
})

describe('commands', () => {
  test.each(Object.keys(commands))('%s is a command', (command) => {
    const behind = command === 'exec' ? ['--', 'npm', 'test', '--port', '2'] : []
    expect(parseCommandLine([command, '--port', '1', ...behind], {})).toMatchObject({
      kind: 'run',
      command,
      settings: { port: 1 },
    })
    expect(parseCommandLine(['--port', '1', command, ...behind], {})).toMatchObject({ kind: 'run', command })
  })

  test('exec passes everything after "--" to its command, and has defaults of its own', () => {
    const words = ['npm', 'test', '--', '--port', '2']
    const asked = parseCommandLine(['exec', '--env', 'A', '--env=B', '--', ...words], {
      PORT: '3000',
      HOST: 'x',
    })
    expect(asked).toMatchObject({ kind: 'run', command: 'exec', files: words })
    const { port, host, state, logLevel, env } = settingsOf(asked)
    expect({ port, host, state, logLevel, env }).toEqual({
      port: 0,
      host: '127.0.0.1',
      state: ':memory:',
      logLevel: 'warn',
      env: 'A,B',
    })
    const set = parseCommandLine(['exec', '--state', 'a.json', '--', 'x'], {
      SIM_PORT: '1',
      SIM_LOG_LEVEL: 'info',
    })
    expect(settingsOf(set)).toMatchObject({ port: 1, state: 'a.json', logLevel: 'info' })
  })

  test.each([[['exec']], [['exec', '--']], [['exec', 'npm', 'test']], [['exec', 'npm', '--', 'test']]])(
    '%j is refused: the command must follow "--"',
    (argv) => {
      expect(problemOf(parseCommandLine(argv, {}))).toMatch(/after "--": convsim exec .*-- npm test/)
    },
  )

  test('a file name instead of a command is the contract to serve', () => {
    expect(parseCommandLine(['my.yaml'], {})).toMatchObject({
      command: 'serve',
      settings: { contract: 'my.yaml' },
    })
    expect(parseCommandLine(['serve', 'my.yaml'], {})).toMatchObject({ settings: { contract: 'my.yaml' } })
  })

  test('the name of an object method is no command', () => {
    expect(problemOf(parseCommandLine(['constructor'], {}))).toContain('"constructor" is no command')
  })

  test('check takes many files, serve takes one and healthcheck takes none', () => {
    expect(parseCommandLine(['check', 'a', 'b', 'c'], {})).toMatchObject({ files: ['a', 'b', 'c'] })
    expect(problemOf(parseCommandLine(['healthcheck', 'a'], {}))).toContain('healthcheck')
    expect(problemOf(parseCommandLine(['serve', 'a', 'b'], {}))).toContain('a contract document')
  })

  test('--help and --version override everything else', () => {
    expect(parseCommandLine(['serve', '--version', '--port', 'x'], {})).toEqual({ kind: 'version' })
    expect(parseCommandLine(['-V'], {})).toEqual({ kind: 'version' })
    expect(parseCommandLine(['check', '--help'], {})).toMatchObject({ kind: 'help' })
  })
})

describe('an unknown argument or variable is refused', () => {
  test.each([
    [['--prot', '1'], /unknown option '--prot'\n.*--port.*--help/],
    [['--port'], /--port.*argument missing.*--help/],
    [['-x'], /unknown option '-x'/],
  ])('%j', (argv, words) => {
    expect(problemOf(parseCommandLine(argv, {}))).toMatch(words)
  })

  test('an unknown SIM_ variable is refused with the list of known ones', () => {
    const problem = problemOf(parseCommandLine([], { SIM_PROT: '1' }))
    expect(problem).toContain('SIM_PROT')
    for (const { setting } of rows) expect(problem).toContain(variableOf(setting))
  })

  test('other unknown variables are ignored', () => {
    expect(parseCommandLine([], { SIMPLE: '1', PATH: '/bin', sim_port: '1' })).toMatchObject({ kind: 'run' })
  })
})

test('help is also a command', () => {
  expect(parseCommandLine(['help'], {})).toMatchObject({
    kind: 'help',
    text: expect.stringContaining('Commands:'),
  })
})

test('a word that is neither a command nor a file name is refused with the commands', () => {
  expect(problemOf(parseCommandLine(['server'], {}))).toMatch(/"server" is no command \(serve, exec, check/)
  expect(parseCommandLine(['./server'], {})).toMatchObject({ kind: 'run', files: ['./server'] })
})

test.each(['', ' a', 'a ', 'a\nb', 'a\u0000', 'a'.repeat(1001)])(
  'no client could send the control token %j',
  (text) => {
    expect(settingTable.controlToken.read(text)).toBeUndefined()
  },
)
