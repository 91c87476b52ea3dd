import { Command, Option } from 'commander'
import type { CommandSyntax } from './command-syntax.ts'
import { endSettings } from './end-settings.ts'
import { flagOf, type Setting } from './setting.ts'
import { commonSettings, defaultOf, variableOf } from './settings.ts'

/** Creates the parser of a command: a subcommand of the program with the flags of its settings. */
export function createParser(command: CommandSyntax, program = new Command('convsim')): Command {
  const { name, description, usage, settings, ignoredSettings = {} } = command
  const parser = program
    .command(name)
    .summary(description.slice(0, description.indexOf('.') + 1))
    .description(description)
    .usage(usage)
    .argument('[operands...]')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpOption('--help', 'Print this help; -h alone does, too.')
  for (const [key, setting] of Object.entries(settings)) addFlag(parser, key, setting)
  for (const [key, setting] of Object.entries(ignoredSettings))
    if (!Object.hasOwn(settings, key)) addFlag(parser, key, setting, true)
  return parser
}

function addFlag(parser: Command, name: string, setting: Setting<unknown>, isHidden = false): void {
  const { short, alsoEnv, value, description, withoutValue, repeatable } = setting
  const flags = `${short ? `-${short}, ` : ''}${flagOf(name)}`
  const variables = [variableOf(name), alsoEnv].filter((variable) => variable !== undefined).join(', ')
  const help = `${description} [${variables && `${variables}; `}default: ${defaultOf(setting)}]`
  if (value === undefined) {
    parser.addOption(new Option(flags, help).hideHelp(isHidden))
    parser.addOption(new Option(`--no-${flagOf(name).slice(2)}`).hideHelp(isHidden))
    return
  }
  const option = new Option(`${flags} ${withoutValue === undefined ? `<${value}>` : `[${value}]`}`, help)
  if (withoutValue !== undefined) option.preset(withoutValue)
  if (repeatable) option.argParser(joinWithComma)
  parser.addOption(option.hideHelp(isHidden))
}

const joinWithComma = (value: string, earlier: string | undefined) =>
  earlier === undefined ? value : `${earlier},${value}`

/** Returns the help of a command: its flags, examples and the precedence of values. */
export function describeCommand(command: CommandSyntax): string {
  const examples = command.examples.map((example) => `  convsim ${example}`)
  return `${createParser(command).helpInformation()}
Examples:
${examples.join('\n')}

Precedence: flag > environment > default.
See convsim --help for the other commands, and convsim scenarios for all scenarios.`
}

/** Returns the help of the program: all commands, the most used flags and examples. */
export function describeProgram(commands: readonly CommandSyntax[]): string {
  const program = new Command('convsim')
    .description('A simulator of the conversation-analytics service, for people who write clients of it.')
    .usage('[command] [options]')
    .helpCommand(false)
    .helpOption('--help', 'Print this help; -h alone does, too.')
    .version('', '-v, --version', 'Print the version.')
    .configureHelp({ subcommandTerm: (parser) => parser.name() })
  for (const command of commands) createParser(command, program)
  for (const [name, setting] of Object.entries({ ...commonSettings, ...endSettings })) addFlag(program, name, setting)
  return `${program.helpInformation()}
Examples:
  convsim                                        serve on http://127.0.0.1:4010/v1
  convsim --port 0 --seed 42                     any free port, other data
  convsim --scenario "rate-limited;retry-after=3"  every request is rate limited
  convsim exec --env API_URL -- npm test         run a command against it
  convsim check my-contract.yaml                 check whether a document can be served
  convsim serve --help                           show all flags of one command
  convsim scenarios                              list all scenarios

Precedence: flag > environment > default.
Documentation: README.md in the folder of the package.`
}
