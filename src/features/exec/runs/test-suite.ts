import { setMaxListeners } from 'node:events'
import { parseDuration } from '../../../base/core/instant.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import type { CommandLineOf } from '../../../command-line/parser/command-syntax.ts'
import type { CommandContext } from '../../../command-line/process/command.ts'
import { createStatusLine, type StatusLine } from '../../../command-line/process/count-progress.ts'
import type { Output } from '../../../command-line/process/output.ts'
import { defaultSettings, type Settings } from '../../../server/settings/settings.ts'
import { type EachLine, type EachSettings, parseSuiteFailOn, type SuiteGate } from '../settings.ts'

/** A test suite that runs many times: its command, and what its runs share. */
export interface TestSuite extends CommandLineOf<EachSettings & Settings>, CommandContext {
  readonly output: Output
  /** Aborted by a signal or at the end of the process. It ends the commands, so their exit codes are inconclusive. */
  readonly stopped: AbortSignal
  /** The time by `elapsed` after which no further run begins; `Infinity` without a limit. */
  readonly deadline: number
  readonly line: StatusLine
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly SuiteGate[]
}

/** Opens a suite, whose runs a signal stops from then on. */
export async function openSuite(options: EachLine, context: CommandContext): Promise<TestSuite> {
  const { settings } = options
  const { host, signals, now, elapsed } = context
  const output = await context.openOutput(settings)
  const begun = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // one for each of `--jobs`
  signals.onStop(() => stop.abort())
  host.once('exit', () => stop.abort())
  return {
    ...options,
    ...context,
    settings: {
      ...defaultSettings(),
      ...settings,
      state: ':memory:',
      clock: settings.clock === 'real' ? begun : settings.clock,
    },
    output,
    stopped: stop.signal,
    deadline: elapsed() + (parseDuration(settings.time ?? '') ?? Number.POSITIVE_INFINITY),
    line: createStatusLine(output.isJson ? undefined : host.stderr, 'convsim'),
    failOn: parseSuiteFailOn(settings.failOn ?? '') ?? [],
  }
}

/** Returns true once no further run may begin. */
export function isOver({ stopped, elapsed, deadline }: TestSuite): boolean {
  return stopped.aborted || elapsed() >= deadline
}

/** A suite that cannot be tried. It is thrown, since only the end of the command handles it. */
export class UntriableSuite extends Error {
  /** The reason, then what differs or the output of the command. A line may have line breaks of its own. */
  readonly lines: readonly string[]
  readonly code: number
  /** The findings that prevent the start of a simulator, in place of lines; empty if it started. */
  readonly findings: Findings

  constructor(lines: readonly string[], code = 1, findings: Findings = []) {
    super(lines.join('\n'))
    this.lines = lines
    this.code = code
    this.findings = findings
  }
}

/** Returns the error of a suite for which no simulator can start. */
export const refuseStart = (findings: Findings) => new UntriableSuite([], 1, findings)

/** Returns the error about a flag. */
export const refuseFlag = (flag: string, message: string) => refuseStart([{ severity: 'error', place: flag, message }])
