import { setMaxListeners } from 'node:events'
import { parseDuration } from '../../../base/core/instant.ts'
import type { Findings } from '../../../base/documents/finding.ts'
import type { CommandLineOf } from '../../../command-line/parser/command-syntax.ts'
import type { CommandContext } from '../../../command-line/process/command.ts'
import type { Output } from '../../../command-line/process/output.ts'
import { defaultSettings, type Settings } from '../../../server/settings/settings.ts'
import { loadInputs } from '../../../server/simulator/loaded-inputs.ts'
import { type Fault, type FaultContext, parseFaultSet } from '../plan/fault-set.ts'
import type { EachLine, EachSettings } from '../settings.ts'
import { createStatusLine, type StatusLine } from './progress.ts'

/** The process that runs the command, with its output. */
export interface ExecContext extends CommandContext {
  readonly output: Output
}

/** A test suite that runs many times: its command, and the things that its runs share. */
export interface TestSuite extends CommandLineOf<EachSettings & Settings>, ExecContext {
  /** Aborted by a signal, or at the end of the process: that ends the commands, so their ends say nothing. */
  readonly stopped: AbortSignal
  /** The time by `elapsed` after which no further run begins; `Infinity` without a limit. */
  readonly deadline: number
  readonly line: StatusLine
}

/**
 * A suite that cannot be tried. It is thrown, since only the end of the command handles it. The lines have the reason,
 * and what differs or the output of the command, which may have line breaks of its own.
 */
export class UntriableSuite extends Error {
  readonly lines: readonly string[]
  readonly code: number
  /** The findings that prevent the start of a simulator, in place of a message; empty if it started. */
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

/** Loads the files of the settings, with which faults are parsed. */
export async function loadFaultContext({ settings }: TestSuite): Promise<FaultContext> {
  const inputs = await loadInputs(settings)
  if (!inputs.ok) throw refuseStart(inputs.error)
  const { contract, catalogue } = inputs.value
  return { catalogue, operations: contract.operations }
}

/** Parses the faults of `--set`, and prints the scenarios of a set that fit no operation. */
export function readFaults({ output }: TestSuite, text: string, context: FaultContext): readonly Fault[] {
  const parsed = parseFaultSet(text, context)
  if (!parsed.ok) throw refuseFlag('--set', parsed.error)
  const { faults, unfitting } = parsed.value
  if (unfitting.length > 0)
    output.printLine(`convsim: not tried, since they fit no operation of the contract: ${unfitting.join(', ')}.`)
  return faults
}

/** Opens a suite: from then on a signal stops its runs. The time begins once the settings are checked. */
export function openSuite(options: EachLine, deps: ExecContext): TestSuite {
  const { settings } = options
  const { host, signals, output, now } = deps
  const begun = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // one for each of `--jobs`
  signals.onStop(() => stop.abort())
  host.once('exit', () => stop.abort())
  return {
    ...options,
    ...deps,
    settings: {
      ...defaultSettings(),
      ...settings,
      state: ':memory:',
      clock: settings.clock === 'real' ? begun : settings.clock,
    },
    stopped: stop.signal,
    deadline: Number.POSITIVE_INFINITY,
    line: createStatusLine(output.isJson ? undefined : host.stderr),
  }
}

/** Returns the time that is a limit after now, by `elapsed`; `Infinity` without a limit. */
export function deadlineAfter(limit: string | undefined, elapsed: () => number): number {
  return elapsed() + (parseDuration(limit ?? '') ?? Number.POSITIVE_INFINITY)
}

/** Returns true once no further run may begin. */
export function isOver({ stopped, elapsed, deadline }: TestSuite): boolean {
  return stopped.aborted || elapsed() >= deadline
}
