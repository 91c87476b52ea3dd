/** `command-line/process/`: the context, output, signals and progress display that commands share. */
import type { LogLevel } from '../../base/core/log.ts'
import { type Finding, type Findings, formatFinding } from '../../base/documents/source.ts'
import type { SettingTable, ValuesOf } from '../../server/settings/setting.ts'
import type { Settings } from '../../server/settings/settings.ts'
import type { Invocation } from '../parser/parse.ts'
import type { CommandLineOf, CommandSyntax } from '../parser/program.ts'
import type { ProcessLog, WriteStderr } from './process-log.ts'
import type { StopSignals } from './stop-signals.ts'

/** What the process provides to a command. `print` writes a line to stdout, and `printError` writes one to stderr. */
export interface CommandContext {
  readonly host: NodeJS.Process
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  readonly signals: StopSignals
  readonly now: () => number
  /** Returns the time since the process started, in milliseconds. */
  readonly elapsed: () => number
  readonly parse: (words: readonly string[]) => Invocation<CliCommand>
  readonly openOutput: (settings: LogSettings) => Promise<Output>
}

export interface CliCommand<Table extends SettingTable = SettingTable> extends CommandSyntax<Table> {
  /**
   * Runs the command and returns its exit code. Imports its modules only when called, so that a container's health
   * check, which starts the program each time, is fast.
   */
  run(line: CommandLineOf<ValuesOf<Table>>, context: CommandContext): Promise<number>
}

export const defineCommand = <Table extends SettingTable>(command: CliCommand<Table>): CliCommand => command

/** The output of a command that starts the simulator: either text for people, or one JSON object per line. */
export interface Output {
  readonly log: ProcessLog
  readonly isJson: boolean
  /** Prints a line on stderr, regardless of the log level. `level` appears only in JSON; the default is `info`. */
  readonly printLine: (text: string, level?: LogLevel) => void
  /** Prints problems under a heading, as text or, with `--log-format json`, as one JSON line per problem. */
  readonly printProblems: (heading: string, problems: readonly string[]) => void
}

export type LogSettings = Pick<Settings, 'logFormat' | 'logLevel'>

/** Creates an output that writes to stderr. `now` returns epoch milliseconds. */
export async function createOutput(
  { logFormat, logLevel }: LogSettings,
  stderr: NodeJS.WriteStream,
  printError: (text: string) => void,
  write: WriteStderr,
  now: () => number,
): Promise<Output> {
  const isTerminal = stderr.isTTY === true
  const isJson = logFormat === 'json' || (logFormat === 'auto' && !isTerminal)
  const textFormat = isTerminal && stderr.hasColors() ? 'colored' : 'plain'
  const { createLog } = await import('./process-log.ts')
  const log = createLog(logLevel, isJson ? 'json' : textFormat, now, write)
  const printLine: Output['printLine'] = (text, level = 'info') =>
    printError(isJson ? formatJsonLine(level, now(), text.trim()) : text)
  const printProblems: Output['printProblems'] = (heading, problems) => {
    if (logFormat !== 'json') printError([heading, ...problems].join('\n'))
    else for (const problem of problems) printLine(`${heading} ${problem.trim()}`, 'error')
  }
  return { log, isJson, printLine, printProblems }
}

export function formatJsonLine(level: LogLevel, time: number, message: string, fields: object = {}): string {
  return JSON.stringify({ level, time: new Date(time).toISOString(), ...fields, msg: message })
}

export function printStartProblems(
  findings: Findings,
  variables: ReadonlyMap<string, string>,
  { printProblems }: Output,
): void {
  printProblems('convsim cannot start:', describeStartProblems(findings, variables))
}

/**
 * Describes the findings that prevent startup. Adds the flag, unless a line number is enough. If an environment
 * variable provided the setting, names both the flag and the variable:
 * `--host (from HOST): error: ...`, `rules.yaml: error: no such file (--rules from CONVSIM_RULES)`.
 */
export function describeStartProblems(findings: Findings, variables: ReadonlyMap<string, string>): string[] {
  return findings.map((finding) => formatFinding(addSource(finding, variables)))
}

function addSource(finding: Finding, variables: ReadonlyMap<string, string>): Finding {
  const { place, message, flag } = finding
  const variable = variables.get(flag ?? place)
  if (flag === undefined) return variable === undefined ? finding : { ...finding, place: `${place} (from ${variable})` }
  // A location with a line number is enough to find the problem, so the flag is left out.
  if (variable === undefined && /:\d+:\d+$/.test(place)) return finding
  return { ...finding, message: `${message} (${flag}${variable === undefined ? '' : ` from ${variable}`})` }
}

/** The maximum time in milliseconds that the process waits for its last output to be read before it exits. */
const outputGraceMs = 1000

/** Returns `code`. Also makes the process exit with that code within about a second, even if its output is not read. */
export function endSoon(host: Pick<NodeJS.Process, 'exit'>, code: number): number {
  setTimeout(() => host.exit(code), outputGraceMs).unref()
  return code
}

/** A line on a terminal that shows the progress of a command: `convsim: run 3 of 10, 1 finding, 16 s left`. */
export type StatusLine = ReturnType<typeof createStatusLine>

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

const clearLine = '\r\u001b[2K'

export function createStatusLine(stderr: Terminal | undefined, title: string) {
  const terminal = stderr?.isTTY ? stderr : undefined
  let isShown = false
  return {
    show(text: string) {
      isShown = true
      terminal?.write(`${clearLine}${title}: ${text}`)
    },
    clear() {
      if (isShown) terminal?.write(clearLine)
      isShown = false
    },
  }
}

export type CountProgress = ReturnType<typeof createCountProgress>

const intervalMs = 200

/** Creates a status line that shows a count: `convsim drift: comparing responses: 1200 of 60000, 3 s`. */
export function createCountProgress(stderr: Terminal, command: string, now: () => number) {
  const { show, clear } = createStatusLine(stderr, `convsim ${command}`)
  const startedAt = now()
  let shownAt = startedAt
  return {
    show(title: string, count: number, total: number) {
      if (now() - shownAt < intervalMs) return
      shownAt = now()
      show(`${title}: ${count} of ${total}, ${Math.floor((shownAt - startedAt) / 1000)} s`)
    },
    clear,
  }
}
