import { Command, CommanderError } from 'commander'
import { parseNow } from './clock.ts'

/** One setting: how it is written, what holds where it is not given, and how its text is read. */
export interface Setting<T> {
  /** Without dashes: `max-analyses-per-hour`. The environment variable is `SIM_MAX_ANALYSES_PER_HOUR`. */
  readonly flag: string
  readonly short?: string
  /** Other environment variables that are understood, e.g. `PORT`; `SIM_...` goes first. */
  readonly alsoEnv?: string
  /** What stands for the value in help; undefined for an on/off switch. */
  readonly value: string | undefined
  readonly default: T
  /** How the default is written where `String(default)` would not tell. */
  readonly defaultText?: string
  readonly about: string
  /** The value, or undefined where the text is none. */
  readonly read: (text: string) => T | undefined
  /** What would be right, for the error. */
  readonly wanted: string
}

interface Words {
  readonly flag: string
  readonly about: string
  readonly short?: string
  readonly alsoEnv?: string
  readonly value?: string
  readonly defaultText?: string
}

function whole<T extends number | undefined>(
  words: Words & { default: T; min: number; max: number },
): Setting<number | T> {
  const { min, max } = words
  return {
    value: 'N',
    ...words,
    wanted: `a whole number from ${min} to ${max}`,
    read: (text) =>
      /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  }
}

function text<T extends string | undefined>(
  words: Words & { default: T; test?: (text: string) => boolean; wanted?: string },
): Setting<string | T> {
  const { test = (text) => text !== '' } = words
  return {
    value: 'TEXT',
    wanted: 'text that is not empty',
    ...words,
    read: (text) => (test(text) ? text : undefined),
  }
}

const isClock = (text: string) => text === 'real' || parseNow(text) !== undefined
const isStateFile = (text: string) => text !== '' && !/^[a-z]+:\/\//i.test(text)
const isSeed = (text: string) => /^[\x21-\x7e]{1,64}$/.test(text)
const isSize = (text: string) => /^\d{1,9}(b|kb|mb)?$/i.test(text)

function choice<T extends string>(words: Words & { default: T; of: readonly T[] }): Setting<T> {
  return {
    ...words,
    value: words.of.join('|'),
    wanted: words.of.join(' or '),
    read: (text) => words.of.find((one) => one === text),
  }
}

const switchWords = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['off', false],
  ['0', false],
  ['no', false],
])

function onOff(words: Words & { default: boolean }): Setting<boolean> {
  return {
    ...words,
    value: undefined,
    defaultText: words.default ? 'on' : 'off',
    wanted: 'true or false (on, off, 1, 0, yes, no)',
    read: (text) => switchWords.get(text.toLowerCase()),
  }
}

const level = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Every setting, once. The parser, `--help` and the README's table come from here. Flag > environment > default. */
export const settingTable = {
  port: whole({
    flag: 'port',
    short: 'p',
    alsoEnv: 'PORT',
    default: 4010,
    min: 0,
    max: 65_535,
    about: 'Port to listen on; 0 is any free one.',
  }),
  host: text({
    flag: 'host',
    short: 'h',
    alsoEnv: 'HOST',
    value: 'ADDRESS',
    default: '127.0.0.1',
    about: 'Address to listen on.',
  }),
  contract: text({
    flag: 'contract',
    value: 'FILE',
    default: undefined,
    defaultText: 'the shipped one',
    about: 'The OpenAPI 3.1 document of the service.',
  }),
  fixtures: text({
    flag: 'fixtures',
    value: 'FOLDER',
    default: undefined,
    defaultText: 'the shipped ones',
    about: 'Folder of fixtures: keys, plans, models, products, personas, phrases.',
  }),
  state: text({
    flag: 'state',
    value: 'FILE',
    default: './.convsim/state.json',
    test: isStateFile,
    wanted: 'a file, or ":memory:" (a shared store such as redis:// cannot be used yet)',
    about: 'Where prompts and events are kept; ":memory:" keeps them until the process ends.',
  }),
  seed: text({
    flag: 'seed',
    default: '1',
    test: isSeed,
    wanted: '1 to 64 visible ASCII characters',
    about: 'The invented world: another seed, other figures.',
  }),
  clock: text({
    flag: 'clock',
    value: 'real|INSTANT',
    default: 'real',
    test: isClock,
    wanted: '"real" or an instant',
    about: 'The time; an instant such as 2026-01-15T12:00:00Z freezes it.',
  }),
  scenario: text({
    flag: 'scenario',
    value: 'NAME[;PARAM=VALUE]',
    default: undefined,
    defaultText: 'none',
    about: 'Switched on for every request, e.g. "rate-limited;retry-after=3".',
  }),
  plan: text({
    flag: 'plan',
    value: 'NAME',
    default: 'growth',
    about: 'Plan of keys that no fixture lists.',
  }),
  maxAnalysesPerHour: whole({
    flag: 'max-analyses-per-hour',
    default: undefined,
    defaultText: "the plan's",
    min: 1,
    max: 1_000_000_000,
    about: 'Analytics requests an hour and key; the next one is a 429.',
  }),
  models: choice({
    flag: 'models',
    of: ['open', 'closed'],
    default: 'open',
    about: "Which models exist: open, any UUID; closed, only the fixtures'.",
  }),
  strict: onOff({
    flag: 'strict',
    default: false,
    about: 'Advice (a value that does not fit its valueType) becomes a refusal.',
  }),
  bodyLimit: text({
    flag: 'body-limit',
    value: 'SIZE',
    default: '1mb',
    test: isSize,
    wanted: 'a size such as 500kb or 1mb',
    about: 'Largest request body.',
  }),
  cors: onOff({
    flag: 'cors',
    default: true,
    about: 'Browsers may call the API from any page; never the controls under /__sim.',
  }),
  simHeaders: onOff({
    flag: 'sim-headers',
    default: true,
    about: 'Our informative response headers (X-Request-Id, X-Sim-...).',
  }),
  logLevel: choice({
    flag: 'log-level',
    of: level,
    default: 'info',
    about: 'How much is logged, on stderr.',
  }),
  logFormat: choice({
    flag: 'log-format',
    of: ['auto', 'pretty', 'json'],
    default: 'auto',
    defaultText: 'pretty on a terminal, json elsewhere',
    about: 'How it is logged.',
  }),
} as const satisfies Record<string, Setting<unknown>>

type ValueOf<S> = S extends Setting<infer T> ? T : never

/** The values of all settings. */
export type Settings = { readonly [Name in keyof typeof settingTable]: ValueOf<(typeof settingTable)[Name]> }

/** All settings in the table's order, by their name in `Settings`. */
export const allSettings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settingTable)

/** `SIM_MAX_ANALYSES_PER_HOUR`. */
export function variableOf({ flag }: { readonly flag: string }): string {
  return `SIM_${flag.replaceAll('-', '_').toUpperCase()}`
}

/** Settings as they are where nobody says anything. */
export function defaultSettings(): Settings {
  return Object.fromEntries(allSettings.map(([name, setting]) => [name, setting.default])) as Settings // by the table's own type
}

export const commands = {
  serve: {
    takes: 'a contract document',
    most: 1,
    about: 'Serve the simulated API (what happens without a command).',
  },
  check: {
    takes: 'files or folders',
    most: 1000,
    about:
      'Check contract documents and fixture folders (none: the shipped ones); exit code 1 where one has an error.',
  },
  assumptions: {
    takes: 'a contract document',
    most: 1,
    about: 'List every place where the contract decides what the service description leaves open.',
  },
  healthcheck: {
    takes: '',
    most: 0,
    about: 'Ask a running simulator for its health; exit code 0 where it is ready.',
  },
} as const

export type CommandName = keyof typeof commands

/** What the command line asks for. */
export type Invocation =
  | {
      readonly kind: 'run'
      readonly command: CommandName
      readonly settings: Settings
      readonly files: readonly string[]
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'problem'; readonly problem: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the arguments behind the program's name, and the environment. Pure: the same in, the same out. */
export function readSettings(argv: readonly string[], env: Environment): Invocation {
  let printed = ''
  const program = buildProgram((words) => {
    printed += words
  })
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.version') return { kind: 'version' }
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text: printed }
    return problem(`${error.message.replace(/^error: /, '')}. See convsim --help.`)
  }
  const [first = 'serve', ...rest] = program.args
  const { command, files } = isCommand(first)
    ? { command: first, files: rest }
    : { command: 'serve' as const, files: program.args }
  return readInvocation(command, files, program.opts(), env)
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(commands, word)
}

type Flags = Readonly<Record<string, string | boolean>>

function readInvocation(
  command: CommandName,
  files: readonly string[],
  flags: Flags,
  env: Environment,
): Invocation {
  const known = allSettings.map(([, setting]) => variableOf(setting))
  const stray = Object.keys(env).find((name) => name.startsWith('SIM_') && !known.includes(name))
  if (stray)
    return problem(`There is no setting for the environment variable ${stray}. Known: ${known.join(', ')}.`)
  if (files.length > commands[command].most)
    return problem(`convsim ${command} takes ${commands[command].takes}; got ${files.join(' ')}.`)
  const values: Record<string, unknown> = {}
  for (const [name, setting] of allSettings) {
    const [where, written] = find(name, setting, flags, env)
    const value = typeof written === 'string' ? setting.read(written) : written
    if (value === undefined && written !== undefined)
      return problem(`${where} takes ${setting.wanted}; got "${written}". ${setting.about}`)
    values[name] = value ?? setting.default
  }
  if (command === 'serve' && files[0] !== undefined) values['contract'] = files[0]
  return { kind: 'run', command, files, settings: values as Settings } // each value was read by its own setting
}

const problem = (words: string) => ({ kind: 'problem', problem: words }) as const

/** Where a setting is given, and as what; an empty environment variable is as good as none. */
function find(
  name: string,
  setting: Setting<unknown>,
  flags: Flags,
  env: Environment,
): readonly [string, string | boolean | undefined] {
  if (flags[name] !== undefined) return [`--${setting.flag}`, flags[name]]
  const variable = [variableOf(setting), setting.alsoEnv].find((candidate) => candidate && env[candidate])
  return variable ? [variable, env[variable]] : ['', undefined]
}

function buildProgram(print: (text: string) => void): Command {
  const program = new Command('convsim')
    .description('A simulator of the conversation-analytics service, for people who write clients of it.')
    .usage('[command] [files...] [options]')
    .argument('[files...]')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => {} })
    .version('', '-V, --version', 'Print the version.')
    .helpOption('--help', 'Print this.')
    .addHelpText('after', commandHelp())
  for (const [, setting] of allSettings) {
    const { flag, short, value, about } = setting
    const names = `${short ? `-${short}, ` : ''}--${flag}`
    const words = `${about} [${variableOf(setting)}${setting.alsoEnv ? `, ${setting.alsoEnv}` : ''}; default: ${defaultOf(setting)}]`
    if (value === undefined) program.option(names, words).option(`--no-${flag}`)
    else program.option(`${names} <${value}>`, words)
  }
  return program
}

/** The default as help and README write it. */
export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default)
}

function commandHelp(): string {
  const rows = Object.entries(commands).map(
    ([name, { takes, about }]) => `  ${name.padEnd(12)} ${about}${takes && ` Takes ${takes}.`}`,
  )
  return `
Commands:
${rows.join('\n')}

Examples:
  convsim                                        serve on http://127.0.0.1:4010/v1
  convsim --port 0 --seed 42                     any free port, another world
  convsim --scenario "rate-limited;retry-after=3"  everybody is rate limited
  convsim check my-contract.yaml                 is this document fit to be served?

Precedence: flag > environment > default.`
}
