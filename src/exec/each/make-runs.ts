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
  /** Called with each run that was taken and not made, because it is over; absent: nobody asks. */
  readonly onSkip?: (run: T) => void
  /** Returns true for a run that is made once more at once, also if it is over; absent: none is. */
  readonly mustRepeat?: (run: T, ended: EndedRun) => boolean
  /**
   * Called after each run, and not if a stop has ended its command. `again`: its repetition; undefined: it has none.
   */
  readonly onEnd: (run: T, ended: EndedRun, again: EndedRun | undefined) => void
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
    const problem = await executeUnlessOver(run, ready.value, deps, bounds)
    if (problem) {
      await closePrepared(next?.prepared)
      return problem
    }
    if (!startsAhead) next = takeNext()
  }
  return undefined
}

/** Makes a run, and its repetition. Returns the findings that prevent the repetition; undefined: none. */
async function executeUnlessOver<T>(
  run: T,
  prepared: PreparedRun,
  deps: RunDeps,
  { limitMs, isOver, prepare, mustRepeat, onSkip, onEnd }: RunBounds<T>,
): Promise<Findings | undefined> {
  if (isOver(run)) {
    onSkip?.(run)
    await prepared.simulator.close()
    return undefined
  }
  const ended = await executeRun(deps, prepared, limitMs)
  if (deps.isStopped()) return undefined
  if (!mustRepeat?.(run, ended)) {
    onEnd(run, ended, undefined)
    return undefined
  }
  const repetition = await prepare(run)
  if (!repetition.ok) return repetition.error
  const again = await executeRun(deps, repetition.value, limitMs)
  if (!deps.isStopped()) onEnd(run, ended, again)
  return undefined
}

async function closePrepared(prepared: Promise<Result<PreparedRun, Findings>> | undefined): Promise<void> {
  const ready = await prepared
  if (ready?.ok) await ready.value.simulator.close()
}
