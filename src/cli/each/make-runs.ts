import type { Result } from '../../core/result.ts'
import { failure, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { type EndedRun, executeRun, type PreparedRun, type RunDeps } from './faulty-run.ts'

/** The bounds of the runs. */
export interface RunBounds<T> {
  /** The number of runs side by side. */
  readonly jobs: number
  /** The time limit of a run, milliseconds. */
  readonly limitMs: number
  /** Starts the simulator of a run. */
  readonly prepare: (run: T) => Promise<Result<PreparedRun, Findings>>
  /** Returns true once no further run may begin. `run`: the one that was taken already; undefined: none was. */
  readonly isOver: (run?: T) => boolean
  /** Returns true once a stop was requested, which ends the commands: their ends say nothing. */
  readonly isStopped: () => boolean
  /** Called with each run that was taken and not made, because it is over; absent: nobody asks. */
  readonly onSkip?: (run: T) => void
  /** Called after each run. */
  readonly onEnd: (run: T, ended: EndedRun) => void
}

/** Makes the runs in their order. The error lists the findings that prevent the start of a simulator. */
export async function makeRuns<T>(
  runs: Iterable<T, undefined>,
  deps: RunDeps,
  bounds: RunBounds<T>,
): Promise<Result<undefined, Findings>> {
  const left = runs[Symbol.iterator]()
  const workers = Array.from({ length: bounds.jobs }, () => work(left, deps, bounds))
  const problems = (await Promise.all(workers)).find((problem) => problem !== undefined)
  return problems ? failure(problems) : success(undefined)
}

/** Takes one run after the other. Returns the findings that prevent a start; undefined: none. */
async function work<T>(
  left: Iterator<T, undefined>,
  deps: RunDeps,
  bounds: RunBounds<T>,
): Promise<Findings | undefined> {
  const takeNext = () => {
    const run = bounds.isOver() ? undefined : left.next().value
    return run && { run, prepared: bounds.prepare(run) }
  }
  // The next simulator starts while a command runs, so that the start adds nothing to a run; on a fixed port there is room for one.
  const startsAhead = deps.settings.port === 0
  let next = takeNext()
  while (next) {
    const { run, prepared } = next
    const ready = await prepared
    if (!ready.ok) return ready.error
    next = startsAhead ? takeNext() : undefined
    await executeUnlessOver(run, ready.value, deps, bounds)
    if (!startsAhead) next = takeNext()
  }
  return undefined
}

async function executeUnlessOver<T>(
  run: T,
  prepared: PreparedRun,
  deps: RunDeps,
  { limitMs, isOver, isStopped, onSkip, onEnd }: RunBounds<T>,
): Promise<void> {
  if (isOver(run)) {
    onSkip?.(run)
    return prepared.simulator.close()
  }
  const ended = await executeRun(deps, prepared, limitMs)
  if (!isStopped()) onEnd(run, ended)
}
