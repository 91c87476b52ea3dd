import type { Log } from '../../core/log.ts'
import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { isRed } from '../report/verdict.ts'
import { type EndedRun, executeRun, type PreparedRun, prepareRun, type RunDeps } from './faulty-run.ts'
import { showPlainProgress } from './progress.ts'

/** A run without faults that has ended: the first one, or its repetition if it failed. */
export interface EndedPlainRun {
  readonly ended: EndedRun
  /** The simulator of the run, which is closed. */
  readonly simulator: PreparedRun['simulator']
  /** The exit code of the first run if this one is its repetition; undefined: the first one did not fail. */
  readonly failedWith: number | undefined
}

/**
 * Runs the command without faults, and once more if it fails, unless it has not ended in time. `title`: see
 * `showPlainProgress`. `limit`: returns the time limit of a run, milliseconds. The error lists the findings that
 * prevent the start of the simulator.
 */
export async function runWithoutFaults(
  deps: RunDeps,
  title: string,
  limit: () => number,
  log?: Log,
): Promise<Result<EndedPlainRun, Findings>> {
  const first = await runOnce(deps, title, limit(), log)
  if (!first.ok) return first
  const { ended } = first.value
  if (!isRed(ended) || ended.isTimedOut || deps.isStopped())
    return success({ ...first.value, failedWith: undefined })
  const again = await runOnce(deps, `${title}, once more, since it failed`, limit(), undefined)
  return again.ok ? success({ ...again.value, failedWith: ended.code }) : again
}

async function runOnce(
  deps: RunDeps,
  title: string,
  limitMs: number,
  log: Log | undefined,
): Promise<Result<Omit<EndedPlainRun, 'failedWith'>, Findings>> {
  const prepared = await prepareRun(deps, undefined, log)
  if (!prepared.ok) return prepared
  const clearProgress = showPlainProgress(deps, title)
  const ended = await executeRun(deps, prepared.value, limitMs)
  clearProgress()
  return success({ ended, simulator: prepared.value.simulator })
}
