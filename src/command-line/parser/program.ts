import { Command, type Help, Option } from 'commander'
import { groupBy } from '../../base/core/group-by.ts'
import { furtherSettings } from '../../server/settings/further-settings.ts'
import {
  flagOf,
  pickSettings,
  type Setting,
  type SettingSources,
  type SettingTable,
  type ValuesOf,
} from '../../server/settings/setting.ts'
import { endSettings, formatDefault, serverSettings, variableOf } from '../../server/settings/settings.ts'
import { formatTableRow, wrapText } from './table.ts'

const purposes = ['Serve', 'Test a client', 'Compare with the real service', 'Look up'] as const

export interface CommandSyntax<Table extends SettingTable = SettingTable> {
  readonly name: string
  readonly alias?: string
  /** The command's part of the usage line: `[files...] [options]`. */
  readonly usage: string
  /** How messages describe the positional arguments; undefined if the command takes none. */
  readonly operands?: string
  /** True for a command whose positional arguments are a command line after `--`. */
  readonly runsCommand?: true
  readonly purpose: (typeof purposes)[number]
  readonly summary: string
  readonly description: string
  /** Command lines without the leading `convsim`: `check my-contract.yaml`. */
  readonly examples: readonly string[]
  readonly settings: Table
  /** Environment variables, other than those for settings, that the command reads, or sets for its child process. */
  readonly variables?: readonly string[]
  /** Describes the first problem with the combination of settings and positional arguments, if any. */
  findProblem?(settings: ValuesOf<Table>, sources: SettingSources, args: readonly string[]): string | undefined
}

export interface CommandLineOf<Values> {
  readonly settings: Values
  /** The positional arguments, such as files; for a command with `runsCommand`, the command line after `--`. */
  readonly args: readonly string[]
  /** The environment variables that provided settings, by flag: `PORT` for `--port`. */
  readonly variables: ReadonlyMap<string, string>
}

export function createParser(command: CommandSyntax): Command {
  const { name, description, usage, settings } = command
  const parser = new Command('convsim')
    .command(name)
    .description(description)
    .usage(usage)
    .argument('[operands...]')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ formatItem: (flag, _width, text, helper) => formatFlag(flag, text, helper) })
    .helpOption('--help', 'Print this help. -h without a value does the same.')
  for (const [key, setting] of Object.entries(settings)) addFlag(parser, key, setting)
  return parser
}

/** Formats a flag for the help. The text begins on the next line, since long flags leave no room in 80 columns. */
function formatFlag(flag: string, text: string, helper: Help): string {
  if (text === '') return `  ${flag}`
  const wrapped = helper.boxWrap(text, (helper.helpWidth ?? 80) - 6)
  return [flag, ...wrapped.split('\n').map((line) => `    ${line}`)].map((line) => `  ${line}`).join('\n')
}

function addFlag(parser: Command, name: string, setting: Setting<unknown>): void {
  const { short, alsoEnv, value, description, repeatable } = setting
  const flags = `${short ? `-${short}, ` : ''}${flagOf(name)}`
  const variables = [variableOf(name), alsoEnv].filter((variable) => variable !== undefined).join(', ')
  const help = `${description} [${variables && `${variables}; `}default: ${formatDefault(setting)}]`
  if (value === undefined) {
    parser.addOption(new Option(flags, help))
    parser.addOption(new Option(`--no-${flagOf(name).slice(2)}`))
    return
  }
  const option = new Option(`${flags} <${value}>`, help)
  if (repeatable) option.argParser(joinWithComma)
  parser.addOption(option)
}

const joinWithComma = (value: string, earlier: string | undefined) =>
  earlier === undefined ? value : `${earlier},${value}`

/** The width of the flag column in a command's help without `--all`. */
const FLAG_WIDTH = 32

/** Returns a command's help: all settings in full if `isComplete`, otherwise only the common settings in brief. */
export function describeCommandHelp(command: CommandSyntax, isComplete: boolean): string {
  const { name, settings, usage, description, examples } = command
  const exampleLines = [`Examples:`, ...examples.map((example) => `  convsim ${example}`)].join('\n')
  if (isComplete)
    return createParser(command)
      .helpInformation()
      .replace('\nOptions:\n', () => `\n${exampleLines}\n\nOptions:\n`)
  const common = Object.entries(settings).filter(([key]) => !Object.hasOwn(furtherSettings, key))
  const sections = [...groupBy(common, ([key]) => sectionOf(key))].map(([heading, entries]) => {
    const rows = entries.map(([key, setting]) => formatTableRow(...describeFlag(key, setting)))
    return `${heading}:\n${rows.join('\n')}`
  })
  return [
    `Usage: convsim ${name} ${usage}`,
    wrapText(description),
    exampleLines,
    ...sections,
    `convsim ${name} --help --all lists all settings and their variables.\n` +
      'A flag overrides its variable (e.g. CONVSIM_PORT), which overrides the default.',
  ].join('\n\n')
}

function sectionOf(key: string): string {
  if (Object.hasOwn(endSettings, key)) return 'Reports and exit code'
  return Object.hasOwn(serverSettings, key) ? 'Simulator' : 'Options'
}

function describeFlag(name: string, setting: Setting<unknown>): [term: string, width: number, text: string] {
  const { short, value, description, default: defaultValue } = setting
  const choices = value !== undefined && value.length > FLAG_WIDTH / 2 && value.includes('|') ? [value] : []
  const placeholder = choices.length > 0 ? 'VALUE' : value
  const term = `${short ? `-${short}, ` : ''}${flagOf(name)}${placeholder === undefined ? '' : ` <${placeholder}>`}`
  const defaultNote = defaultValue === undefined || defaultValue === false ? [] : [`default: ${formatDefault(setting)}`]
  const notes = [...choices, ...defaultNote].join('; ')
  return [term, FLAG_WIDTH, firstClause(description) + (notes && ` [${notes}]`)]
}

const firstClause = (description: string) => description.split(/[.;:,](?: |$)/, 1)[0] ?? ''

const programHelpSettings = pickSettings(
  serverSettings,
  ...(['port', 'contract', 'overlay', 'state', 'seed', 'clock', 'scenario', 'rules', 'report', 'failOn'] as const),
)

/** Returns the program's help: the commands by purpose, and the most common flags. */
export function describeProgram(commands: readonly CommandSyntax[]): string {
  const sections = purposes.flatMap((purpose) => {
    const purposeCommands = commands.filter((command) => command.purpose === purpose)
    return [`${purpose}:`, ...purposeCommands.map(({ name, summary }) => `  ${name.padEnd(13)}${summary}`)]
  })
  const flags = Object.entries<Setting<unknown>>(programHelpSettings).map(([name, { short, value, description }]) => {
    const term = `${short ? `-${short}, ` : ''}${flagOf(name)} ${value}`
    return `  ${term.padEnd(33)}${firstClause(description)}`
  })
  return `Usage: convsim [command] [options]

A simulator of the conversation-analytics service, for developers of its
clients. Without a command, convsim serves the API at http://127.0.0.1:4010/v1.

${sections.join('\n')}

Common flags:
${flags.join('\n')}
  -v, --version                    Print the version

convsim COMMAND --help   the common flags of a command; with --all, every flag
convsim scenarios        the scenarios
README.md                the documentation, in the package folder
A flag overrides its variable (e.g. CONVSIM_PORT), which overrides the default.`
}
