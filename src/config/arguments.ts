import { Command, CommanderError, Option } from 'commander'
import { endSentence } from '../core/end-sentence.ts'
import { findNearest } from '../core/similar.ts'
import { type CommandName, commands, findCommand, settingsOf } from './commands.ts'
import { describeCommands, describeExamples } from './help.ts'
import { describeWrongValue, type Setting } from './setting.ts'
import { allSettings, defaultOf, type Settings, variableOf } from './settings.ts'
import { findUnfitSetting } from './unfit-setting.ts'
import { type Environment, findVariableProblem, removeServiceLinks } from './variables.ts'

/** The parsed command line: a command to run, a text to print, or a problem to report. */
export type Invocation =
  | {
      readonly kind: 'run'
      readonly command: CommandName
      readonly settings: Settings
      readonly files: readonly string[]
      /** The environment variables that gave settings, by flag: `--port` has `PORT`. */
      readonly variables: ReadonlyMap<string, string>
      /** Sentences about environment variables that were passed over. */
      readonly warnings: readonly string[]
    }
  /** The help of a command; of the program where `command` is undefined. */
  | { readonly kind: 'help'; readonly command: CommandName | undefined; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'problem'; readonly problem: string }

/** Parses the command line and the environment; has no side effects. `argv`: the arguments after the program's name. */
export function parseCommandLine(argv: readonly string[], env: Environment): Invocation {
  const program = buildProgram()
  const { beforeDashes, afterDashes } = splitAtDashes(argv)
  const helpOfFirst = () => createHelp(beforeDashes.map(findCommand).find((name) => name !== undefined))
  if (hasShortHelpFlag(beforeDashes)) return helpOfFirst()
  try {
    program.parse(beforeDashes, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.version') return { kind: 'version' }
    if (error.code === 'commander.helpDisplayed') return helpOfFirst()
    return problem(`${endSentence(error.message.replace(/^error: /, ''))} See convsim --help.`)
  }
  return parseCommand(program, afterDashes, removeServiceLinks(env))
}

/** Returns true for `-h` without a value, and for `-h check`. With any other value it is the flag of the host, as it is in Prism. */
function hasShortHelpFlag(words: readonly string[]): boolean {
  const [first, second = ''] = words
  if (first === '-h' && findCommand(second)) return true
  return words.some((word, at) => word === '-h' && (words[at + 1] ?? '-').startsWith('-'))
}

function createHelp(command: CommandName | undefined): Invocation {
  const text = buildProgram(command).helpInformation()
  return { kind: 'help', command, text: text + (command ? describeExamples(command) : describeCommands()) }
}

function parseCommand(program: Command, afterDashes: readonly string[], env: Environment): Invocation {
  const [first = 'serve', ...rest] = program.args
  if (first === 'help') return findHelp(rest[0])
  const named = findCommand(first)
  if (!named && !/[./\\]/.test(first)) {
    const nearest = findNearest(first, Object.keys(commands))
    const guess = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    return problem(
      `"${first}" is no command (${commandNames}), and no file name.${guess} See convsim --help.`,
    )
  }
  const command = named ?? 'serve'
  const files = named ? rest : program.args
  if (command !== 'exec') return parseInvocation(command, [...files, ...afterDashes], program.opts(), env)
  if (files.length > 0 || afterDashes.length === 0)
    return problem(
      'convsim exec takes flags (a contract: --contract FILE), and its command after "--": convsim exec --seed 42 -- npm test.',
    )
  return parseInvocation(command, afterDashes, program.opts(), env)
}

const commandNames = Object.keys(commands).join(', ')

/** Returns the help of the command with this name; that of the program for undefined. */
function findHelp(name: string | undefined): Invocation {
  const command = name === undefined ? undefined : findCommand(name)
  if (name === undefined || command) return createHelp(command)
  return problem(`"${name}" is no command (${commandNames}). See convsim --help.`)
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
  proxy: { state: ':memory:' },
  exec: { port: 0, state: ':memory:', logLevel: 'warn', logFormat: 'pretty' },
}

type Flags = Readonly<Record<string, string | boolean>>

/** Reads every setting: flag > environment > default of the command > default of the setting. */
function parseInvocation(
  command: CommandName,
  files: readonly string[],
  flags: Flags,
  env: Environment,
): Invocation {
  const conflict = findConflict(command, files, flags, env)
  if (conflict !== undefined) return problem(conflict)
  const defaults = new Map<string, unknown>(Object.entries(commandDefaults[command] ?? {}))
  const values: Record<string, unknown> = {}
  const found = allSettings.map(([name, setting]) => ({
    name,
    setting,
    ...findValue(name, setting, flags, env, command === 'exec'),
  }))
  for (const { name, setting, source, given } of found) {
    const value = typeof given === 'string' ? setting.read(given) : given
    if (value === undefined && given !== undefined)
      return problem(`${describeWrongValue(setting, source, String(given))} See convsim --help.`)
    values[name] = value ?? defaults.get(name) ?? setting.default
  }
  if (command === 'serve' && files[0] !== undefined) values['contract'] = files[0]
  const settings = values as Settings // each value is of its own setting's type
  const sources = new Map(found.map(({ name, source }) => [name, source]))
  const unfit = findUnfitSetting(command, settings, sources)
  if (unfit !== undefined) return problem(`${unfit} See convsim ${command} --help.`)
  const fromVariables = found.filter(({ source }) => env[source] !== undefined)
  return {
    kind: 'run',
    command,
    files,
    settings,
    variables: new Map(fromVariables.map(({ setting, source }) => [`--${setting.flag}`, source])),
    warnings: found.flatMap(({ warning }) => warning ?? []),
  }
}

/** Finds a variable, an argument or a flag that cannot be there, whatever its value is; undefined: none. */
function findConflict(
  command: CommandName,
  files: readonly string[],
  flags: Flags,
  env: Environment,
): string | undefined {
  const variableProblem = findVariableProblem(env)
  if (variableProblem !== undefined) return variableProblem
  const { operands, maxOperands } = commands[command]
  if (files.length > maxOperands)
    return `convsim ${command} takes ${operands || 'flags alone'}; got ${files.join(' ')}.`
  return findForeignFlag(command, flags)
}

/** Finds a flag that the command does not read; undefined: none. A variable may be for other commands, so it is passed over. */
function findForeignFlag(command: CommandName, flags: Flags): string | undefined {
  const read = new Set(settingsOf(command).map(([name]) => name))
  const { acceptsServerFlags } = commands[command]
  for (const [name, { flag, command: owner }] of allSettings) {
    if (flags[name] === undefined || read.has(name)) continue
    const help = `See convsim ${command} --help.`
    if (owner !== undefined) return `--${flag} is a flag of convsim ${owner}. ${help}`
    if (!acceptsServerFlags) return `--${flag} has no effect on convsim ${command}. ${help}`
  }
  return undefined
}

const problem = (message: string) => ({ kind: 'problem', problem: message }) as const

/** The value that was given for a setting. */
interface GivenValue {
  /** The flag or variable that gives it: `--port`, `PORT`. Empty: none does. */
  readonly source: string
  readonly given: string | boolean | undefined
  /** A sentence about a variable that was passed over. */
  readonly warning?: string
}

/**
 * Finds the flag or variable that gives a setting, and its value. An empty variable counts as not given. `ignoreAlsoEnv`: true for
 * `exec`, because PORT and HOST are for the command that it runs.
 */
function findValue(
  name: string,
  setting: Setting<unknown>,
  flags: Flags,
  env: Environment,
  ignoreAlsoEnv: boolean,
): GivenValue {
  if (flags[name] !== undefined) return { source: `--${setting.flag}`, given: flags[name] }
  const own = variableOf(setting)
  if (own !== undefined && env[own]) return { source: own, given: env[own] }
  const { alsoEnv = '', alsoEnvOnly } = setting
  const value = env[alsoEnv]
  if (ignoreAlsoEnv || !value) return notGiven
  if (!alsoEnvOnly || alsoEnvOnly.test(value)) return { source: alsoEnv, given: value }
  const warning = `The environment variable ${alsoEnv} is not used, since "${value}" is not ${alsoEnvOnly.expected}. Set ${variableOf(setting)} or --${setting.flag} if it is meant.`
  return { ...notGiven, warning }
}

const notGiven = { source: '', given: undefined } as const

/** Builds the parser of all commands; with `command` the one whose help is that of the command alone. */
function buildProgram(command?: CommandName): Command {
  const program = new Command(command ? `convsim ${command}` : 'convsim')
    .description(
      command
        ? commands[command].description
        : 'A simulator of the conversation-analytics service, for people who write clients of it.',
    )
    .usage(command ? commands[command].usage : '[command] [files...] [options]')
    .argument('[files...]')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .helpOption('--help', 'Print this help; -h alone does, too.')
  if (!command) program.version('', '-v, --version', 'Print the version.')
  for (const [, setting] of command ? settingsOf(command) : allSettings) addFlag(program, setting)
  return program
}

function addFlag(program: Command, setting: Setting<unknown>): void {
  const { flag, short, value, description, withoutValue } = setting
  const names = `${short ? `-${short}, ` : ''}--${flag}`
  const variables = [variableOf(setting), setting.alsoEnv].filter((name) => name !== undefined).join(', ')
  const help = `${description} [${variables && `${variables}; `}default: ${defaultOf(setting)}]`
  if (value === undefined) {
    program.option(names, help).option(`--no-${flag}`)
    return
  }
  const option = new Option(`${names} ${withoutValue === undefined ? `<${value}>` : `[${value}]`}`, help)
  if (withoutValue !== undefined) option.preset(withoutValue)
  program.addOption(setting.repeatable ? option.argParser(joinWithComma) : option)
}

const joinWithComma = (value: string, earlier: string | undefined) =>
  earlier === undefined ? value : `${earlier},${value}`
