import { type Log, silentLog } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { FindingsReport } from '../../reports/report.ts'
import type { Dependencies } from '../../simulator/simulator.ts'
import { type RunningSimulator, start } from '../../simulator/start.ts'
import type { PlannedRun } from '../plan/plan.ts'
import { RequestRecorder } from '../plan/request-recorder.ts'
import { addAddresses } from '../run-command.ts'
import type { ExecSettings } from '../settings.ts'
import type { RunningCommands } from './running-commands.ts'
import { type CapturedEnd, type KillGroup, runCaptured } from './suite-command.ts'

/** The things that every run of the command shares. */
export interface RunDeps {
  readonly settings: ExecSettings
  /** The file of the command, and its arguments. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly dependencies: Pick<Dependencies, 'now' | 'log'>
  readonly killGroup: KillGroup
  /** Returns the milliseconds since the process began. */
  readonly elapsed: () => number
  /** Writes to the terminal; undefined: there is none. */
  readonly terminal: ((text: string) => void) | undefined
  /** The commands that run now, which a stop ends. */
  readonly running: RunningCommands
  /** Returns true once a stop was requested, which ends the commands: their ends say nothing. */
  readonly isStopped: () => boolean
}

/** A simulator that is ready for one run. */
export interface PreparedRun {
  readonly simulator: RunningSimulator
  readonly recorder: RequestRecorder
}

/** A run that has ended. */
export interface EndedRun extends CapturedEnd {
  readonly recorder: RequestRecorder
  readonly findings: FindingsReport
  /** The duration of the command, milliseconds. */
  readonly ms: number
}

/**
 * Starts the simulator of a run, which begins without state and counts no request. `run`: undefined for a run without faults. `log`: the
 * log of its simulator; default: errors alone, since every simulator has the same warnings.
 */
export async function prepareRun(
  { settings, dependencies }: RunDeps,
  run: PlannedRun | undefined,
  log: Log = { ...silentLog, error: (fields, message) => dependencies.log.error(fields, message) },
): Promise<Result<PreparedRun, Findings>> {
  const recorder = new RequestRecorder(run)
  const { record: onExchange, findFault: findPlannedFault } = recorder
  const started = await start(
    { ...settings, state: ':memory:' },
    { ...dependencies, log, onExchange, findPlannedFault },
  )
  return started.ok ? success({ simulator: started.value, recorder }) : failure(started.error)
}

/** Runs the command once against its simulator, and stops the simulator. `limitMs`: see `runCaptured`. */
export async function executeRun(
  { settings, command, env, killGroup, elapsed, running }: RunDeps,
  { simulator, recorder }: PreparedRun,
  limitMs: number | undefined,
): Promise<EndedRun> {
  const [file = '', ...args] = command
  const names = settings.env?.split(',') ?? []
  const begun = elapsed()
  const captured = runCaptured({ file, args, env: addAddresses(env, simulator, names) }, limitMs, killGroup)
  running.add(captured)
  const end = await captured.ended
  running.delete(captured)
  const ms = elapsed() - begun
  await simulator.close() // before the findings, since a request is recorded when its delivery has ended
  return { ...end, recorder, findings: await simulator.findings(), ms }
}
