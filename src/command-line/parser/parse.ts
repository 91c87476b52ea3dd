/** `command-line/parser/`: turns a command line into settings, and formats the help. */
import { CommanderError } from 'commander'
import { endSentence, findNearest } from '../../base/core/text.ts'
import {
  describeWrongValue,
  flagOf,
  joinNames,
  type Setting,
  type SettingTable,
  type ValuesOf,
} from '../../server/settings/setting.ts'
import { variableOf } from '../../server/settings/settings.ts'
import {
  type CommandLineOf,
  type CommandSyntax,
  createParser,
  describeCommandHelp,
  describeProgram,
} from './program.ts'
import { type Environment, findVariableProblem, removeServiceLinks } from './variables.ts'

export type Invocation<Known extends CommandSyntax> =
  | ({ readonly kind: 'run'; readonly command: Known } & CommandLineOf<ValuesOf<Known['settings']>>)
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'problem'; readonly problem: string }

/** The commands. The help groups them by purpose and keeps their order within each group. The first is the default. */
export type CommandTable<Known extends CommandSyntax = CommandSyntax> = readonly [Known, ...Known[]]

/** Parses the environment and the arguments that follow the program's name. Has no side effects. */
export function parseCommandLine<Known extends CommandSyntax>(
  commands: CommandTable<Known>,
  argv: readonly string[],
  env: Environment,
): Invocation<Known> {
  const [words, wordsAfter] = splitAt(argv, argv.indexOf('--'))
  const flags = indexFlags(...commands.map(({ settings }) => settings))
  const commandIndex = findOperandIndex(words, flags, 0) // flags may precede the command
  const earlyResult = findHelpOrVersion(commands, words, words.slice(commandIndex)) ?? findMissingValue(words, flags)
  if (earlyResult) return earlyResult
  const givenCommand = findCommand(commands, words[commandIndex])
  const command = givenCommand ?? commands[0]
  const missingDashes = findMissingDashes(command, argv, givenCommand ? commandIndex + 1 : 0, flags)
  if (missingDashes) return missingDashes
  const parser = createParser(command)
  try {
    parser.parse(givenCommand ? words.toSpliced(commandIndex, 1) : words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return problem(`${describeFlagProblem(commands, command, error)} See convsim ${command.name} --help.`)
  }
  const variables = removeServiceLinks(env)
  const message =
    findNameProblem(commands, givenCommand ? undefined : parser.args[0]) ??
    findOperandProblem(command, parser.args, wordsAfter) ??
    findVariableProblem(commands, variables)
  if (message !== undefined) return problem(message)
  return readSettings(command, [...parser.args, ...wordsAfter], parser.opts(), variables)
}

type Flags = ReadonlyMap<string, Setting<unknown>>

function findMissingValue(words: readonly string[], flags: Flags) {
  const isFlag = (word = '') => flags.has(word.replace(/=.*/s, ''))
  const at = words.findIndex((word, index) => takesValue(flags.get(word)) && isFlag(words[index + 1]))
  return at < 0 ? undefined : problem(`${words[at]} needs a value before ${words[at + 1]}. See convsim --help.`)
}

/** Returns the index of the first operand at or after `from`, or `words.length` if only flags and values follow. */
function findOperandIndex(words: readonly string[], flags: Flags, from: number): number {
  const isOperand = (word: string, index: number) =>
    index >= from && !word.startsWith('-') && !takesValue(flags.get(words[index - 1] ?? ''))
  const index = words.findIndex(isOperand)
  return index < 0 ? words.length : index
}

/** Reports a missing `--`, which must precede the command that `exec` or `each` runs: `exec -- npm test`. */
function findMissingDashes({ name, runsCommand }: CommandSyntax, argv: readonly string[], from: number, flags: Flags) {
  const first = findOperandIndex(argv, flags, from)
  if (!runsCommand || argv.includes('--') || first === argv.length) return undefined
  const flagWords = [...argv.slice(0, Math.max(0, from - 1)), ...argv.slice(from, first)]
  const line = [...flagWords, '--', ...argv.slice(first)].join(' ')
  return problem(`Put -- before the command: convsim ${name} ${line}.`)
}

function findCommand<Known extends CommandSyntax>(commands: readonly Known[], word: string | undefined) {
  return commands.find(({ name, alias }) => word !== undefined && (word === name || word === alias))
}

function splitAt(words: readonly string[], at: number): [before: readonly string[], after: readonly string[]] {
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)]
}

function findHelpOrVersion(commands: CommandTable, words: readonly string[], [first, topic]: readonly string[]) {
  if (first === 'version' || words.some((word) => word === '--version' || word === '-v'))
    return { kind: 'version' } as const
  const isHelpCommand = first === 'help'
  if (!isHelpCommand && !hasHelpFlag(commands, words)) return undefined
  const name = isHelpCommand ? topic : first
  const message = findNameProblem(commands, name)
  if (message !== undefined) return problem(message)
  // In `-h check`, the command is where the value of `-h` would be.
  const command = findCommand(commands, name ?? (words[0] === '-h' ? words[1] : ''))
  const text = command ? describeCommandHelp(command, words.includes('--all')) : describeProgram(commands)
  return { kind: 'help', text } as const
}

/** Returns true for `--help`, a leading `-h COMMAND` or `-h` without a value. As in Prism, `-h HOST` sets the host. */
function hasHelpFlag(commands: CommandTable, words: readonly string[]): boolean {
  if (words[0] === '-h' && findCommand(commands, words[1])) return true
  return words.some((word, at) => word === '--help' || (word === '-h' && (words[at + 1] ?? '-').startsWith('-')))
}

function findNameProblem(commands: CommandTable, operand: string | undefined): string | undefined {
  if (operand === undefined || findCommand(commands, operand) || /[./\\]/.test(operand)) return undefined
  const names = commands.map(({ name }) => name)
  const nearest = findNearest(operand, names)
  const guess = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const advice = `For a file, use ./${operand}. See convsim --help.`
  return `"${operand}" is not a command (${names.join(', ')}).${guess} ${advice}`
}

const problem = (message: string) => ({ kind: 'problem', problem: message }) as const

const takesValue = (setting: Setting<unknown> | undefined) => setting?.value !== undefined

/** Indexes settings by flag: `--port`, `-p`, `--no-cors`. If several tables have the same flag, the first one wins. */
function indexFlags(...tables: readonly SettingTable[]): ReadonlyMap<string, Setting<unknown>> {
  const index = new Map<string, Setting<unknown>>()
  for (const [name, setting] of tables.flatMap((table) => Object.entries(table))) {
    const flag = flagOf(name)
    const off = setting.value === undefined ? [flag.replace('--', '--no-')] : []
    const short = setting.short === undefined ? [] : [`-${setting.short}`]
    for (const key of [flag, ...off, ...short]) if (!index.has(key)) index.set(key, setting)
  }
  return index
}

/** Describes a rejected flag: an unknown flag, another command's flag, or a missing or unexpected value. */
function describeFlagProblem(
  commands: CommandTable,
  { name, settings }: CommandSyntax,
  { code, message }: CommanderError,
): string {
  const [, flag = ''] = /'(--?[\w-]+)/.exec(code === 'commander.unknownOption' ? message : '') ?? []
  if (indexFlags(settings).has(flag)) return `${flag} takes no value.`
  const owners = commands.filter((command) => indexFlags(command.settings).has(flag))
  if (owners.length === 0) return endSentence(message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'))
  if (owners.includes(commands[0])) return `${flag} has no effect on convsim ${name}.`
  const names = owners.map((owner) => owner.name)
  return `${flag} works only with convsim ${joinNames(names, 'and')}.`
}

function findOperandProblem(
  command: CommandSyntax,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  const { name, usage, operands, runsCommand } = command
  if (runsCommand) return findCommandProblem(command, before, after[0])
  const all = [...before, ...after]
  const hasTooMany = operands === undefined ? all.length > 0 : all.length > 1 && !usage.includes('...')
  return hasTooMany ? `convsim ${name} takes ${operands ?? 'only flags'}; got ${all.join(' ')}.` : undefined
}

function findCommandProblem({ name, usage, settings }: CommandSyntax, before: readonly string[], word?: string) {
  if (before.length > 0) {
    const guess = 'set' in settings ? ` Did you mean --set ${before[0]}?` : ''
    const given = `got ${before.join(' ')}`
    return `convsim ${name} takes only flags before "--"; ${given}.${guess} To set the contract, use --contract FILE.`
  }
  if (word) return undefined
  const reason = word === '' ? 'The command name is empty. Is a variable unset?' : 'No command was given.'
  return `${reason} Usage: convsim ${name} ${usage.replace(' [arguments...]', '')}.`
}

type GivenFlags = Readonly<Record<string, string | boolean>>

/** Reads the settings of a command. A flag overrides its environment variable, which overrides the default. */
function readSettings<Known extends CommandSyntax>(
  command: Known,
  args: readonly string[],
  flags: GivenFlags,
  env: Environment,
): Invocation<Known> {
  const values: Record<string, unknown> = {}
  const sources = new Map<string, string>()
  const variables = new Map<string, string>()
  for (const [name, setting] of Object.entries(command.settings)) {
    const source = findSource(name, setting, flags, env)
    const given = flags[name] ?? env[source]
    const value = typeof given === 'string' ? setting.read(given) : given
    if (value === undefined && given !== undefined)
      return problem(`${describeWrongValue(setting, source, String(given))} See convsim ${command.name} --help.`)
    values[name] = value ?? setting.default
    sources.set(name, source)
    if (env[source] !== undefined) variables.set(flagOf(name), source)
  }
  const settings = values as ValuesOf<Known['settings']> // each value has the type of its setting
  const conflict = command.findProblem?.(settings, sources, args)
  if (conflict !== undefined) return problem(`${conflict} See convsim ${command.name} --help.`)
  return { kind: 'run', command, args, settings, variables }
}

/** Returns the flag or variable that provides a value, or an empty string if neither does. Ignores empty variables. */
function findSource(
  name: string,
  { alsoEnv = '', isForConvsim }: Setting<unknown>,
  flags: GivenFlags,
  env: Environment,
): string {
  const variable = variableOf(name)
  if (flags[name] !== undefined) return flagOf(name)
  if (variable !== undefined && env[variable]) return variable
  const value = env[alsoEnv]
  return value && (!isForConvsim || isForConvsim(value)) ? alsoEnv : ''
}
