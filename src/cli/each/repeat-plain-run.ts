import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { compareRuns } from '../../suites/recorded-request.ts'
import { executeRun, prepareRun, type RunDeps } from './faulty-run.ts'
import type { PlainRun } from './plain-runs.ts'

/**
 * Runs the command once more without faults, after all others: a suite that fails now and then may pass at first. Returns the differences;
 * empty: it is as before. The error lists the findings that prevent the start of the simulator.
 */
export async function repeatPlainRun(
  deps: RunDeps,
  plain: PlainRun,
  limitMs: number,
): Promise<Result<readonly string[], Findings>> {
  const prepared = await prepareRun(deps, undefined)
  if (!prepared.ok) return prepared
  const { code, isTimedOut, recorder } = await executeRun(deps, prepared.value, limitMs)
  if (isTimedOut) return success([`at the end it did not end within ${limitMs / 1000} s`])
  if (code !== 0) return success([`at the end it failed with exit code ${code}`])
  return success(compareRuns(plain.requests, recorder.requests))
}
