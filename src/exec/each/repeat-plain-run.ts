import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { compareRuns } from '../plan/recorded-request.ts'
import type { RunDeps } from './faulty-run.ts'
import { runWithoutFaults } from './plain-run.ts'
import type { PlainRun } from './plain-runs.ts'

/** The outcome of a further run without faults. */
export interface PlainCheck {
  /** The differences from the first one: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** True: the command failed in both runs, or did not end in time, so that a red run says nothing about its fault. */
  readonly hasFailed: boolean
}

/** Runs the command again without faults. `when`: `after 20 runs`, `at the end`. */
export async function repeatPlainRun(
  deps: RunDeps,
  plain: PlainRun,
  limitMs: number,
  when: string,
): Promise<Result<PlainCheck, Findings>> {
  const repeated = await runWithoutFaults(deps, `run without faults ${when}`, () => limitMs)
  if (!repeated.ok) return repeated
  const { ended, failedWith } = repeated.value
  const { code, isTimedOut, recorder } = ended
  if (isTimedOut)
    return success({ changes: [`${when} it did not end within ${limitMs / 1000} s`], hasFailed: true })
  if (code !== 0)
    return success({ changes: [`${when} it failed twice, with exit code ${code}`], hasFailed: true })
  const failed = failedWith === undefined ? [] : [`${when} it failed with exit code ${failedWith}`]
  const differences = compareRuns(plain.requests, recorder.requests)
  return success({ changes: [...failed, ...differences.map((line) => `${when}: ${line}`)], hasFailed: false })
}
