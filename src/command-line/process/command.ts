import type { SettingTable, ValuesOf } from '../../server/settings/setting.ts'
import type { Invocation } from '../parser/parse.ts'
import type { CommandLineOf, CommandSyntax } from '../parser/program.ts'
import type { LogSettings, Output } from './output.ts'
import type { StopSignals } from './stop-signals.ts'

/** The process around a command. Its output takes texts without the last line feed. */
export interface CommandContext {
  readonly host: NodeJS.Process
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  readonly signals: StopSignals
  readonly now: () => number
  /** Returns the milliseconds since the process began. */
  readonly elapsed: () => number
  readonly parse: (words: readonly string[]) => Invocation<CliCommand>
  readonly openOutput: (settings: LogSettings) => Promise<Output>
}

/** A command of the program: its place on the command line, and its work. */
export interface CliCommand<Table extends SettingTable = SettingTable> extends CommandSyntax<Table> {
  /**
   * Runs the command, and returns its exit code. It imports its modules when it is called, so that a container's health
   * check, which starts the program every few seconds, is quick.
   */
  run(line: CommandLineOf<ValuesOf<Table>>, context: CommandContext): Promise<number>
}

export const defineCommand = <Table extends SettingTable>(command: CliCommand<Table>): CliCommand => command
