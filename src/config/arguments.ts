import { Command, CommanderError } from 'commander'
import { findNearest } from '../core/similar.ts'
import type { Setting } from './setting.ts'
import { allSettings, defaultOf, type Settings, variableOf } from './settings.ts'

/** The commands of the program. `operands`: the arguments that a command takes besides flags; empty: none. */
export const commands = {
  serve: {
    operands: 'a contract document',
    maxOperands: 1,
    description: 'Serve the simulated API; the default command.',
  },
  exec: {
    operands: 'a command after "--"',
    maxOperands: 100_000,
    description:
      'Run a command against a simulator of its own, which has a free port and its state in memory unless --port or --state is given. The command finds the base URL in CONVSIM_BASE_URL. Afterwards print a summary of its requests and exit with its exit code, or with 3 (--fail-on).',
  },
  check: {
    operands: 'files or folders',
    maxOperands: 1000,
    description:
      'Check contract documents, fixture folders and scenario files; without any, check the bundled ones. Exit code 1 if one has an error.',
  },
  assumptions: {
    operands: 'a contract document',
    maxOperands: 1,
    description:
      'List every place where the contract fills a gap in the service description, with the reason.',
  },
  healthcheck: {
    operands: '',
    maxOperands: 0,
    description: 'Ask a running simulator for its health. Exit code 0 if it is ready, 1 if not.',
  },
} as const

/** The name of a command: `serve`. */
export type CommandName = keyof typeof commands

/** The parsed command line: a command to run, a text to print, or a problem to report. */
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

/** Environment variables, e.g. `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>

/** Parses the command line and the environment; has no side effects. `argv`: the arguments after the program's name. */
export function parseCommandLine(argv: readonly string[], env: Environment): Invocation {
  let helpText = ''
  const program = buildProgram((text) => {
    helpText += text
  })
  const { beforeDashes, afterDashes } = splitAtDashes(argv)
  try {
    program.parse(beforeDashes, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.version') return { kind: 'version' }
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text: helpText }
    return problem(`${error.message.replace(/^error: /, '')}. See convsim --help.`)
  }
  return parseCommand(program, afterDashes, env)
}

function parseCommand(program: Command, afterDashes: readonly string[], env: Environment): Invocation {
  const [first = 'serve', ...rest] = program.args
  if (first === 'help') return { kind: 'help', text: program.helpInformation() + describeCommands() }
  if (!isCommand(first) && !/[./\\]/.test(first)) {
    const nearest = findNearest(first, Object.keys(commands))
    const guess = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    return problem(
      `"${first}" is no command (${Object.keys(commands).join(', ')}), and no file name.${guess} See convsim --help.`,
    )
  }
  const { command, files } = isCommand(first)
    ? { command: first, files: rest }
    : { command: 'serve' as const, files: program.args }
  if (command !== 'exec') return parseInvocation(command, [...files, ...afterDashes], program.opts(), env)
  if (files.length > 0 || afterDashes.length === 0)
    return problem(
      'convsim exec takes flags (a contract: --contract FILE), and its command after "--": convsim exec --seed 42 -- npm test.',
    )
  return parseInvocation(command, afterDashes, program.opts(), env)
}

/** Splits the arguments at the first `--`; those after it belong to the command of `exec`. */
function splitAtDashes(argv: readonly string[]): {
  beforeDashes: readonly string[]
  afterDashes: readonly string[]
} {
  const at = argv.indexOf('--')
  return at < 0
    ? { beforeDashes: argv, afterDashes: [] }
    : { beforeDashes: argv.slice(0, at), afterDashes: argv.slice(at + 1) }
}

/** The defaults of a command that differ from those of the settings. */
const commandDefaults: { readonly [Name in CommandName]?: Partial<Settings> } = {
  exec: { port: 0, state: ':memory:', logLevel: 'warn', logFormat: 'pretty' },
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(commands, word)
}

type Flags = Readonly<Record<string, string | boolean>>

/** Reads every setting: flag > environment > default of the command > default of the setting. */
function parseInvocation(
  command: CommandName,
  files: readonly string[],
  flags: Flags,
  env: Environment,
): Invocation {
  const knownVariables = allSettings.map(([, setting]) => variableOf(setting))
  const unknownVariable = Object.keys(env).find(
    (name) => name.startsWith('SIM_') && !knownVariables.includes(name),
  )
  if (unknownVariable)
    return problem(
      `There is no setting for the environment variable ${unknownVariable}. Known: ${knownVariables.join(', ')}.`,
    )
  if (files.length > commands[command].maxOperands)
    return problem(`convsim ${command} takes ${commands[command].operands}; got ${files.join(' ')}.`)
  const defaults = new Map<string, unknown>(Object.entries(commandDefaults[command] ?? {}))
  const values: Record<string, unknown> = {}
  for (const [name, setting] of allSettings) {
    const [source, given] = findValue(name, setting, flags, env, command === 'exec')
    const value = typeof given === 'string' ? setting.read(given) : given
    if (value === undefined && given !== undefined)
      return problem(`${source} takes ${setting.expected}; got "${given}". ${setting.description}`)
    values[name] = value ?? defaults.get(name) ?? setting.default
  }
  if (command === 'serve' && files[0] !== undefined) values['contract'] = files[0]
  return { kind: 'run', command, files, settings: values as Settings } // each value is of its own setting's type
}

const problem = (message: string) => ({ kind: 'problem', problem: message }) as const

/**
 * Finds the flag or variable that gives a setting, and its value; undefined: the setting is not given. An empty variable counts as
 * not given. `ignoreAlsoEnv`: true for `exec`, because PORT and HOST are for the command that it runs.
 */
function findValue(
  name: string,
  setting: Setting<unknown>,
  flags: Flags,
  env: Environment,
  ignoreAlsoEnv: boolean,
): readonly [string, string | boolean | undefined] {
  if (flags[name] !== undefined) return [`--${setting.flag}`, flags[name]]
  const names = ignoreAlsoEnv ? [variableOf(setting)] : [variableOf(setting), setting.alsoEnv]
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
    .helpOption('--help', 'Print this help.')
    .addHelpText('after', describeCommands())
  for (const [, setting] of allSettings) {
    const { flag, short, value, description } = setting
    const names = `${short ? `-${short}, ` : ''}--${flag}`
    const help = `${description} [${variableOf(setting)}${setting.alsoEnv ? `, ${setting.alsoEnv}` : ''}; default: ${defaultOf(setting)}]`
    if (value === undefined) program.option(names, help).option(`--no-${flag}`)
    else if (setting.repeatable) program.option(`${names} <${value}>`, help, joinWithComma)
    else program.option(`${names} <${value}>`, help)
  }
  return program
}

const joinWithComma = (value: string, earlier: string | undefined) =>
  earlier === undefined ? value : `${earlier},${value}`

function describeCommands(): string {
  const rows = Object.entries(commands).map(
    ([name, { operands, description }]) =>
      `  ${name.padEnd(12)} ${description}${operands && ` Takes ${operands}.`}`,
  )
  return `
Commands:
${rows.join('\n')}

Examples:
  convsim                                        serve on http://127.0.0.1:4010/v1
  convsim --port 0 --seed 42                     any free port, other data
  convsim --scenario "rate-limited;retry-after=3"  every request is rate limited
  convsim exec --env API_URL -- npm test         run a command against it
  convsim check my-contract.yaml                 check whether a document can be served

Precedence: flag > environment > default.`
}
