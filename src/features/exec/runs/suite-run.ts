import { type Log, silentLog } from '../../../base/core/log.ts'
import type { EntryListener } from '../../../server/journal/journal.ts'
import type { FindingsReport } from '../../../server/reports/report.ts'
import { type RunningSimulator, start } from '../../../server/simulator/start.ts'
import type { ActiveScenario } from '../../../service/scenarios/definition.ts'
import { type PlannedRun, scenarioOf } from '../plan/plan.ts'
import { type RecordedRequest, toRecordedRequest } from '../plan/recorded-request.ts'
import { type CapturedEnd, runCaptured, toCommandLine } from './run-command.ts'
import { isOver, refuseStart, type TestSuite } from './test-suite.ts'

/** A simulator that is ready for one run. */
export interface PreparedRun {
  readonly simulator: RunningSimulator
  readonly recorder: RequestRecorder
}

/** A run that has ended; its simulator is closed. */
export interface EndedRun extends PreparedRun, CapturedEnd {
  readonly findings: FindingsReport
  /** The duration of the command, milliseconds. */
  readonly ms: number
}

interface RunParts {
  /** Absent: no fault is planned. */
  readonly run?: PlannedRun
  /** The log of the simulator. Default: errors alone, since every simulator has the same warnings. */
  readonly log?: Log | undefined
}

/** Starts the simulator of a run, which begins without state and counts no request. */
export async function prepareRun(
  { settings, now, output }: TestSuite,
  { run, log }: RunParts = {},
): Promise<PreparedRun> {
  const recorder = new RequestRecorder(run)
  const { record: onExchange, findFault: findPlannedFault } = recorder
  const errors: Log = { ...silentLog, error: (fields, message) => output.log.error(fields, message) }
  const started = await start(settings, { now, log: log ?? errors, onExchange, findPlannedFault })
  if (!started.ok) throw refuseStart(started.error)
  return { simulator: started.value, recorder }
}

/** Runs the command once against its simulator, and stops the simulator. `limitMs`: the time limit, milliseconds. */
export async function executeRun(
  suite: TestSuite,
  { simulator, recorder }: PreparedRun,
  limitMs: number,
): Promise<EndedRun> {
  const begun = suite.elapsed()
  const end = await runCaptured(toCommandLine(suite, suite.host.env, simulator), { ...suite, limitMs })
  const ms = suite.elapsed() - begun
  await simulator.close() // before the findings, since a request is recorded when its delivery has ended
  return { ...end, simulator, recorder, findings: await simulator.findings(), ms }
}

/** A run, and its repetition if it needs one. */
export type RunEnds = readonly [EndedRun, ...EndedRun[]]

/**
 * Runs the command, and once more if `mustRepeat` says so. Returns undefined if a stop ended the command, since its end
 * says nothing.
 */
export async function executeTwice(
  suite: TestSuite,
  run: PlannedRun,
  prepared: PreparedRun,
  limitMs: number,
  mustRepeat: (first: EndedRun) => boolean,
): Promise<RunEnds | undefined> {
  const first = await executeRun(suite, prepared, limitMs)
  if (suite.stopped.aborted) return undefined
  if (!mustRepeat(first)) return [first]
  const ends: RunEnds = [first, await executeRun(suite, await prepareRun(suite, { run }), limitMs)]
  return suite.stopped.aborted ? undefined : ends
}

/**
 * Makes runs side by side, as many as `--jobs` says, until there is none or none may begin. The simulator of the next
 * one starts while a command runs, so that its start adds nothing to a run; on a fixed port there is room for one.
 */
export async function makeRuns(
  suite: TestSuite,
  planned: readonly PlannedRun[],
  make: (run: PlannedRun, prepared: PreparedRun) => Promise<void>,
): Promise<void> {
  const runs = planned.values()
  const startNext = () => {
    const run = isOver(suite) ? undefined : runs.next().value
    const prepared = run && prepareRun(suite, { run })
    prepared?.catch(() => undefined) // an error is thrown where it is awaited, after the run before
    return prepared && { run, prepared }
  }
  const work = async () => {
    let next = startNext()
    try {
      while (next) {
        const { run } = next
        const prepared = await next.prepared
        next = suite.settings.port === 0 ? startNext() : undefined
        if (!isOver(suite)) await make(run, prepared)
        await prepared.simulator.close() // a run that was left out has not stopped it
        next ??= startNext()
      }
    } finally {
      const prepared = await next?.prepared // of a run that is not made, since another one cannot start
      await prepared?.simulator.close()
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: suite.settings.jobs }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** The number of requests of a run that a report has: the last ones. */
const maxLines = 200

/** Records the requests of one run, and gives the planned fault to the request that is due. */
class RequestRecorder {
  /** The requests by their ids; the journal records one again where the client turns out to have left its response. */
  readonly #requests = new Map<string, RecordedRequest>()
  readonly #counts = new Map<string, number>()
  readonly #numbers = new Map<string, number>()
  readonly #run: PlannedRun | undefined
  readonly #scenario: ActiveScenario | undefined

  /** `run`: undefined where no fault is planned. */
  constructor(run: PlannedRun | undefined) {
    this.#run = run
    this.#scenario = run && scenarioOf(run)
  }

  /** Numbers a request to an operation, and returns the fault that it gets. */
  readonly findFault = (operation: string, requestId: string): ActiveScenario | undefined => {
    const number = (this.#counts.get(operation) ?? 0) + 1
    this.#counts.set(operation, number)
    this.#numbers.set(requestId, number)
    if (!this.#run || operation !== this.#run.operation) return undefined
    const isDue = this.#run.fault.isLasting || number === this.#run.occurrence
    return isDue ? this.#scenario : undefined
  }

  readonly record: EntryListener = (entry, live) => {
    this.#requests.set(entry.id, toRecordedRequest(entry, live, this.#numbers.get(entry.id) ?? 0))
  }

  /** The requests in the order of their receipt. */
  get requests(): readonly RecordedRequest[] {
    return [...this.#requests.values()].sort((a, b) => a.receivedAt - b.receivedAt)
  }

  /** Lists the last requests as lines, as many as a report has. */
  listLastLines(): string[] {
    return this.requests.slice(-maxLines).map(({ line }) => line)
  }

  /** The first request that met the fault, if any. */
  get target(): RecordedRequest | undefined {
    const { scenario, isLasting } = this.#run?.fault ?? {}
    const text = this.#scenario?.text ?? ''
    const drifted = `${scenario?.definition.name} at `
    return [...this.#requests.values()].find(
      ({ occurrence, scenarios, damage }) =>
        occurrence > 0 && scenarios.includes(text) && (!isLasting || damage.some((one) => one.startsWith(drifted))),
    )
  }
}
