import type { SettingSources, SettingTable, ValuesOf } from '../../server/settings/setting.ts'

/** The purposes by which the help of the program lists the commands. */
export const purposes = ['Serve', 'Test a client', 'Compare with the real service', 'Look up'] as const

/** A command as the command line, its help and the documentation describe it. */
export interface CommandSyntax<Table extends SettingTable = SettingTable> {
  readonly name: string
  /** Another name of the command. */
  readonly alias?: string
  /** The command's part of its usage line: `[files...] [options]`. */
  readonly usage: string
  /** The arguments besides flags, for a sentence, if any. */
  readonly operands?: string
  /** Is true for a command whose operands are a command line, after `--`. */
  readonly runsCommand?: true
  readonly purpose: (typeof purposes)[number]
  /** The command in at most ten words, for the help of the program. */
  readonly summary: string
  readonly description: string
  /** Command lines after `convsim`: `check my-contract.yaml`. */
  readonly examples: readonly string[]
  /** The settings that the command reads, with its own defaults and descriptions. */
  readonly settings: Table
  /** Settings whose flags are taken without effect, so that a script can pass those of its server. */
  readonly ignoredSettings?: SettingTable
  /** Other variables that the command reads, or sets for a command that may start convsim again. */
  readonly variables?: readonly string[]
  /** Finds a setting that another one, or an argument, does not allow, if any. */
  findProblem?(settings: ValuesOf<Table>, sources: SettingSources, files: readonly string[]): string | undefined
}

/** A command line of a command that takes these settings. */
export interface CommandLineOf<Values> {
  readonly settings: Values
  /** The arguments besides flags. */
  readonly files: readonly string[]
  /** The environment variables that gave settings, by flag: `--port` has `PORT`. */
  readonly variables: ReadonlyMap<string, string>
  /** Sentences about environment variables that were passed over. */
  readonly warnings: readonly string[]
}
