import { Command, CommanderError } from 'commander'
import type { Setting } from './setting.ts'
import { allSettings, defaultOf, type Settings, variableOf } from './settings.ts'

export const commands = {
  serve: {
    takes: 'a contract document',
    most: 1,
    description: 'Serve the simulated API (what happens without a command).',
  },
  exec: {
    takes: 'a command behind "--"',
    most: 100_000,
    description:
      'Serve on a free port, with the state in memory (unless --port or --state say otherwise), while a command runs that finds the base URL in CONVSIM_BASE_URL; then tell what it did, and end with its exit code, or 3 (--fail-on).',
  },
  check: {
    takes: 'files or folders',
    most: 1000,
    description:
      'Check contract documents, fixture folders and scenario files (none: the shipped ones); exit code 1 where one has an error.',
  },
  assumptions: {
    takes: 'a contract document',
    most: 1,
    description: 'List every place where the contract decides what the service description leaves open.',
  },
  healthcheck: {
    takes: '',
    most: 0,
    description: 'Ask a running simulator for its health; exit code 0 where it is ready.',
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
  const { own, behind } = splitArguments(argv)
  try {
    program.parse(own, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.version') return { kind: 'version' }
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text: printed }
    return problem(`${error.message.replace(/^error: /, '')}. See convsim --help.`)
  }
  return readCommand(program, behind, env)
}

function readCommand(program: Command, behind: readonly string[], env: Environment): Invocation {
  const [first = 'serve', ...rest] = program.args
  if (first === 'help') return { kind: 'help', text: program.helpInformation() + commandHelp() }
  if (!isCommand(first) && !/[./\\]/.test(first)) {
    return problem(
      `"${first}" is no command (${Object.keys(commands).join(', ')}), and no file name. See convsim --help.`,
    )
  }
  const { command, files } = isCommand(first)
    ? { command: first, files: rest }
    : { command: 'serve' as const, files: program.args }
  if (command !== 'exec') return readInvocation(command, [...files, ...behind], program.opts(), env)
  if (files.length > 0 || behind.length === 0)
    return problem(
      'convsim exec takes flags (a contract: --contract FILE), and its command behind "--": convsim exec --seed 42 -- npm test.',
    )
  return readInvocation(command, behind, program.opts(), env)
}

/** What stands behind the first `--` is not ours to read. */
function splitArguments(argv: readonly string[]): { own: readonly string[]; behind: readonly string[] } {
  const at = argv.indexOf('--')
  return at < 0 ? { own: argv, behind: [] } : { own: argv.slice(0, at), behind: argv.slice(at + 1) }
}

/** What holds for a command where nobody says anything, in place of the setting's own default. */
const commandDefaults: { readonly [Name in CommandName]?: Partial<Settings> } = {
  exec: { port: 0, state: ':memory:', logLevel: 'warn' },
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
  const standard = new Map<string, unknown>(Object.entries(commandDefaults[command] ?? {}))
  const values: Record<string, unknown> = {}
  for (const [name, setting] of allSettings) {
    const [where, written] = find(name, setting, flags, env, command === 'exec')
    const value = typeof written === 'string' ? setting.read(written) : written
    if (value === undefined && written !== undefined)
      return problem(`${where} takes ${setting.expected}; got "${written}". ${setting.description}`)
    values[name] = value ?? standard.get(name) ?? setting.default
  }
  if (command === 'serve' && files[0] !== undefined) values['contract'] = files[0]
  return { kind: 'run', command, files, settings: values as Settings } // each value was read by its own setting
}

const problem = (words: string) => ({ kind: 'problem', problem: words }) as const

/**
 * Where a setting is given, and as what; an empty environment variable is as good as none. `onlyOurs`: PORT and HOST are meant
 * for the command that is run, not for us.
 */
function find(
  name: string,
  setting: Setting<unknown>,
  flags: Flags,
  env: Environment,
  onlyOurs: boolean,
): readonly [string, string | boolean | undefined] {
  if (flags[name] !== undefined) return [`--${setting.flag}`, flags[name]]
  const names = onlyOurs ? [variableOf(setting)] : [variableOf(setting), setting.alsoEnv]
  const variable = names.find((candidate) => candidate && env[candidate])
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
    const { flag, short, value, description } = setting
    const names = `${short ? `-${short}, ` : ''}--${flag}`
    const words = `${description} [${variableOf(setting)}${setting.alsoEnv ? `, ${setting.alsoEnv}` : ''}; default: ${defaultOf(setting)}]`
    if (value === undefined) program.option(names, words).option(`--no-${flag}`)
    else if (setting.repeatable) program.option(`${names} <${value}>`, words, joined)
    else program.option(`${names} <${value}>`, words)
  }
  return program
}

const joined = (value: string, before: string | undefined) =>
  before === undefined ? value : `${before},${value}`

function commandHelp(): string {
  const rows = Object.entries(commands).map(
    ([name, { takes, description }]) => `  ${name.padEnd(12)} ${description}${takes && ` Takes ${takes}.`}`,
  )
  return `
Commands:
${rows.join('\n')}

Examples:
  convsim                                        serve on http://127.0.0.1:4010/v1
  convsim --port 0 --seed 42                     any free port, another world
  convsim --scenario "rate-limited;retry-after=3"  everybody is rate limited
  convsim exec --env API_URL -- npm test         run a command against it
  convsim check my-contract.yaml                 is this document fit to be served?

Precedence: flag > environment > default.`
}
