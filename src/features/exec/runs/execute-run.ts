import { type Log, silentLog } from '../../../base/core/log.ts'
import type { JournalEntry, LiveExchange } from '../../../server/journal/entry.ts'
import type { FindingsReport } from '../../../server/reports/report.ts'
import { type RunningSimulator, start } from '../../../server/simulator/start.ts'
import type { ActiveScenario } from '../../../service/scenarios/definition.ts'
import { type PlannedRun, scenarioOf } from '../plan/plan.ts'
import { type RecordedRequest, toRecordedRequest } from './recorded-request.ts'
import { type CapturedEnd, runCaptured, toCommandLine } from './run-command.ts'
import { refuseStart, type TestSuite } from './test-suite.ts'

/** A run that has ended; its simulator is closed. */
export interface EndedRun extends CapturedEnd {
  readonly simulator: RunningSimulator
  /** The requests in the order of their receipt. */
  readonly requests: readonly RecordedRequest[]
  /** The first request that the fault was injected into, if any. */
  readonly target: RecordedRequest | undefined
  readonly findings: FindingsReport
  /** The duration of the command, milliseconds. */
  readonly ms: number
}

interface RunOptions {
  /** Absent for a run without a fault. */
  readonly run?: PlannedRun
  /** The time limit of the command, milliseconds. */
  readonly limitMs: number
  /** The log of the simulator. Default: errors alone, since every simulator has the same warnings. */
  readonly log?: Log | undefined
}

/** Runs the command once against a simulator of its own, which begins without state, and stops the simulator. */
export async function executeRun(suite: TestSuite, { run, limitMs, log }: RunOptions): Promise<EndedRun> {
  const { settings, now, output, elapsed, host } = suite
  const { findPlannedFault, onExchange, recorded, isTarget } = createRecorder(run)
  const errors: Log = { ...silentLog, error: (fields, message) => output.log.error(fields, message) }
  const started = await start(settings, { now, log: log ?? errors, onExchange, findPlannedFault })
  if (!started.ok) throw refuseStart(started.error)
  const simulator = started.value
  const begun = elapsed()
  const end = await runCaptured(toCommandLine(suite, host.env, simulator), { ...suite, limitMs })
  const ms = elapsed() - begun
  await simulator.close() // before the findings, since a request is recorded when its delivery has ended
  const { coverage: _, ...findings } = await simulator.report() // whose coverage would keep the simulator in memory
  const requests = [...recorded.values()].sort((a, b) => a.receivedAt - b.receivedAt)
  return { ...end, simulator, requests, target: requests.find(isTarget), findings, ms }
}

/** Creates the functions that record the requests of one run, and give the planned fault to the request that is due. */
function createRecorder(run: PlannedRun | undefined) {
  // By id, as the journal records a request again if the client turns out not to have read its response.
  const recorded = new Map<string, RecordedRequest>()
  const counts = new Map<string, number>()
  const numbers = new Map<string, number>()
  const scenario = run && scenarioOf(run)
  return {
    recorded,
    /** Numbers a request to an operation, and returns its fault, if any. */
    findPlannedFault(operation: string, requestId: string): ActiveScenario | undefined {
      const number = (counts.get(operation) ?? 0) + 1
      counts.set(operation, number)
      numbers.set(requestId, number)
      if (operation !== run?.operation) return undefined
      return run.fault.isLasting || number === run.occurrence ? scenario : undefined
    },
    onExchange(entry: JournalEntry, live: LiveExchange): void {
      recorded.set(entry.id, toRecordedRequest(entry, live, numbers.get(entry.id) ?? 0))
    },
    /** Returns true for a request that the fault changed; a drift may find nothing to change. */
    isTarget({ occurrence, scenarios, damage }: RecordedRequest): boolean {
      if (!run || !scenario || occurrence === 0 || !scenarios.includes(scenario.text)) return false
      return !run.fault.isLasting || damage.some((one) => one.startsWith(`${scenario.definition.name} at `))
    },
  }
}
