import { setMaxListeners } from 'node:events'
import { parseDuration } from '../../../base/core/instant.ts'
import { type Log, silentLog } from '../../../base/core/log.ts'
import type { Findings } from '../../../base/documents/source.ts'
import type { CommandLineOf } from '../../../command-line/parser/program.ts'
import {
  type CommandContext,
  createStatusLine,
  type Output,
  type StatusLine,
} from '../../../command-line/process/command.ts'
import type { JournalEntry, LiveExchange } from '../../../server/journal/entry.ts'
import type { FindingsReport } from '../../../server/reports/report.ts'
import { defaultSettings, type Settings } from '../../../server/settings/settings.ts'
import { type RunningSimulator, start } from '../../../server/simulator/start.ts'
import { rateLimitedUntilDate } from '../plan/fault-set.ts'
import { type PlannedRun, scenarioOf } from '../plan/plan.ts'
import { type EachLine, type EachSettings, parseSuiteFailOn, type SuiteGate } from '../settings.ts'
import { type RecordedRequest, toRecordedRequest } from './recorded-request.ts'
import { type CapturedEnd, runCaptured, toCommandLine, trustCa } from './run-command.ts'

/** The command of a test suite, and what all its runs share. */
export interface TestSuite extends CommandLineOf<EachSettings & Settings>, CommandContext {
  readonly output: Output
  /** Aborted on a stop signal or process exit. This kills the commands, so their exit codes are inconclusive. */
  readonly stopped: AbortSignal
  /** The time, as returned by `elapsed`, after which no further fault is tested; `Infinity` without a limit. */
  readonly deadline: number
  readonly line: StatusLine
  readonly failOn: readonly SuiteGate[]
}

export async function openSuite(options: EachLine, context: CommandContext): Promise<TestSuite> {
  const { settings } = options
  const { host, signals, now, elapsed } = context
  const output = await context.openOutput(settings)
  const startedAt = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const clock = settings.clock === 'real' ? startedAt : settings.clock
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // unlimited, since each parallel run adds a listener
  signals.onStop(() => stop.abort())
  host.once('exit', () => stop.abort())
  return {
    ...options,
    ...context,
    settings: { ...defaultSettings(), ...settings, state: ':memory:', clock },
    output,
    stopped: stop.signal,
    deadline: elapsed() + (parseDuration(settings.time ?? '') ?? Number.POSITIVE_INFINITY),
    line: createStatusLine(output.isJson ? undefined : host.stderr, 'convsim'),
    failOn: parseSuiteFailOn(settings.failOn ?? '') ?? [],
  }
}

export function isOver({ stopped, elapsed, deadline }: TestSuite): boolean {
  return stopped.aborted || elapsed() >= deadline
}

/** Thrown if a suite cannot be tested, and handled only at the top level. */
export class UntestableSuite extends Error {
  /** The reason, followed by the differences between runs or the command's output. An item may contain line breaks. */
  readonly lines: readonly string[]
  readonly code: number
  /** The problems with the settings or their files, printed instead of `lines`; empty if there are none. */
  readonly findings: Findings

  constructor(lines: readonly string[], code = 1, findings: Findings = []) {
    super(lines.join('\n'))
    this.lines = lines
    this.code = code
    this.findings = findings
  }
}

export const refuseStart = (findings: Findings) => new UntestableSuite([], 1, findings)

/** A run that has ended and whose simulator is closed. */
export interface EndedRun extends CapturedEnd {
  readonly simulator: RunningSimulator
  /** The requests, in order of receipt. */
  readonly requests: readonly RecordedRequest[]
  /** The first request that the fault was injected into; undefined if there is none. */
  readonly target: RecordedRequest | undefined
  readonly findings: FindingsReport
  readonly ms: number
}

interface RunOptions {
  readonly run?: PlannedRun
  readonly limitMs: number
  /** The simulator's log. By default, it contains only errors, since every simulator logs the same warnings. */
  readonly log?: Log | undefined
}

/** Runs the command once against a new simulator, then stops the simulator. */
export async function executeRun(suite: TestSuite, { run, limitMs, log }: RunOptions): Promise<EndedRun> {
  const { settings, now, output, elapsed, host } = suite
  const { recorded, isTarget, ...observers } = createRecorder(run)
  const errors: Log = { ...silentLog, error: (fields, message) => output.log.error(fields, message) }
  // A client compares the date in `Retry-After` with the clock of its machine.
  const clock = run?.fault.scenario.text === rateLimitedUntilDate ? 'real' : settings.clock
  const started = await start({ ...settings, clock }, { now, log: log ?? errors, ...observers })
  if (!started.ok) throw refuseStart(started.error)
  const simulator = started.value
  const startedAt = elapsed()
  const env = await trustCa(simulator, host.env)
  const end = await runCaptured(toCommandLine(suite, env, simulator), { ...suite, limitMs })
  const ms = elapsed() - startedAt
  await simulator.close() // before reading the findings, since a request is recorded when its delivery ends
  const { coverage: _, ...findings } = await simulator.report() // the coverage would keep the simulator in memory
  const requests = [...recorded.values()].sort((a, b) => a.receivedAt - b.receivedAt)
  return { ...end, simulator, requests, target: requests.find(isTarget), findings, ms }
}

function createRecorder(run: PlannedRun | undefined) {
  // Keyed by ID, since the journal records a request again if the client turns out not to have read the response.
  const recorded = new Map<string, RecordedRequest>()
  const counts = new Map<string, number>()
  const occurrences = new Map<string, number>()
  const scenario = run && scenarioOf(run)
  return {
    recorded,
    findPlannedFault(operation: string, requestId: string) {
      const occurrence = (counts.get(operation) ?? 0) + 1
      counts.set(operation, occurrence)
      occurrences.set(requestId, occurrence)
      const isDue = operation === run?.operation && (run.fault.isLasting || occurrence === run.occurrence)
      return isDue ? scenario : undefined
    },
    onExchange(entry: JournalEntry, live: LiveExchange): void {
      recorded.set(entry.id, toRecordedRequest(entry, live, occurrences.get(entry.id) ?? 0))
    },
    /** Returns true if the fault affected the request. A drift scenario with nothing to change does not affect it. */
    isTarget({ occurrence, scenarios, damage }: RecordedRequest): boolean {
      if (!run || !scenario || occurrence === 0 || !scenarios.includes(scenario.text)) return false
      return !run.fault.isLasting || damage.some((one) => one.startsWith(`${scenario.definition.name} at `))
    },
  }
}
