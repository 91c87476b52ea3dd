import { parseDuration } from '../../../base/core/instant.ts'
import type { Log } from '../../../base/core/log.ts'
import type { Report } from '../../../server/reports/report.ts'
import { compareRuns, findVaryingMembers } from '../plan/recorded-request.ts'
import type { PlainRequests } from '../report/good-responses.ts'
import { isRed } from '../report/verdict.ts'
import { showSeconds } from './progress.ts'
import { type EndedRun, executeRun, prepareRun } from './suite-run.ts'
import { isOver, type TestSuite, UntriableSuite } from './test-suite.ts'

/** The run without faults, which all others are compared with. */
export interface BaselineRun extends PlainRequests {
  readonly report: Report
  /** The time limit of a run with faults, milliseconds. */
  readonly limitMs: number
  /** The failures that did not repeat: `at the start it failed with exit code 6`. */
  readonly changes: readonly string[]
}

/** A run without faults that has ended: the first one, or its repetition if it failed. */
interface EndedBaselineRun extends EndedRun {
  /** The exit code of the first run if this one is its repetition; undefined: the first one did not fail. */
  readonly failedWith: number | undefined
}

/** The default of `--run-timeout` for the runs without faults. */
const defaultLimit = '10m'

/** The default of `--run-timeout` for all others: a multiple of the run without faults, at least so many ms. */
const limitFactor = 10
const minLimitMs = 10_000

/**
 * Runs the command twice without faults.
 * @throws UntriableSuite if it fails and fails again, does not end in time, asks nothing, or does not repeat itself
 */
export async function recordBaselineRuns(suite: TestSuite): Promise<BaselineRun> {
  const first = await recordRun(suite, 1, suite.output.log)
  const second = await recordRun(suite, 2)
  const { requests } = first.recorder
  const again = second.recorder.requests
  const differences = compareRuns(requests, again)
  if (differences.length > 0)
    throw new UntriableSuite([
      'convsim: two runs of the command without faults differ in their requests, so no fault has a fixed place:',
      ...differences.map((line) => `  ${line}`),
    ])
  return {
    requests,
    varying: findVaryingMembers(requests, again),
    report: await first.simulator.report(),
    limitMs: parseDuration(suite.settings.runTimeout ?? '') ?? Math.max(minLimitMs, limitFactor * first.ms),
    changes: [first, second].flatMap((run) => describeFirstFailure(run, 'at the start')),
  }
}

const describeFirstFailure = ({ failedWith }: EndedBaselineRun, when: string) =>
  failedWith === undefined ? [] : [`${when} it failed with exit code ${failedWith}`]

/** Makes a run without faults, which must be green and ask something. */
async function recordRun(suite: TestSuite, number: 1 | 2, log?: Log): Promise<EndedBaselineRun> {
  const { settings, deadline, elapsed } = suite
  const limitMs = parseDuration(settings.runTimeout ?? defaultLimit) ?? 0
  const findLimit = () => Math.max(0, Math.min(limitMs, deadline - elapsed()))
  const made = await runWithoutFaults(suite, `run ${number} of 2 without faults`, findLimit, log)
  if (isRed(made)) throw describeRed(suite, made)
  if (made.recorder.requests.length > 0) return made
  throw new UntriableSuite([
    'convsim: the command sends no request to the simulator, ' +
      'whose base URL is in CONVSIM_BASE_URL, or in the variable of --env NAME.',
  ])
}

function describeRed(suite: TestSuite, { code, isTimedOut, lastLines }: EndedRun): UntriableSuite {
  const { runTimeout, time } = suite.settings
  const own = runTimeout === undefined ? `${defaultLimit} (--run-timeout)` : `--run-timeout ${runTimeout}`
  const limit = isOver(suite) ? `--time ${time} (for two runs)` : own
  const end = isTimedOut ? `does not end within ${limit}` : `fails with exit code ${code}`
  const reason = isTimedOut ? 'it cannot be tried' : 'its failures say nothing about faults'
  const lines = [
    `convsim: the command ${end} without any fault, so ${reason}. Its last lines:`,
    ...lastLines.map((line) => `  ${line}`),
  ]
  return new UntriableSuite(lines, isTimedOut ? 1 : code)
}

/**
 * Runs the command without faults, and once more if it fails, unless it has not ended in time. `title`: see
 * `showSeconds`.
 */
async function runWithoutFaults(
  suite: TestSuite,
  title: string,
  findLimit: () => number,
  log?: Log,
): Promise<EndedBaselineRun> {
  const runOnce = async (words: string, failedWith?: number) => {
    const limitMs = findLimit()
    const prepared = await prepareRun(suite, { log: failedWith === undefined ? log : undefined })
    const clearProgress = showSeconds(suite.line, words, suite.elapsed)
    const ended = await executeRun(suite, prepared, limitMs)
    clearProgress()
    return { ...ended, failedWith }
  }
  const first = await runOnce(title)
  if (!isRed(first) || first.isTimedOut || suite.stopped.aborted) return first
  return runOnce(`${title}, once more, since it failed`, first.code)
}

/** The outcome of a further run without faults. */
interface PlainCheck {
  /** The differences from the first one: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** Is true if the command failed in both runs, or ran too long, so that a red run says nothing about its fault. */
  readonly hasFailed: boolean
}

/** Runs the command without faults again, at a time such as `after 20 runs`. A run that a stop ends says nothing. */
export async function repeatBaselineRun(
  suite: TestSuite,
  { requests, limitMs }: BaselineRun,
  when: string,
): Promise<PlainCheck> {
  const nothing = { changes: [], hasFailed: false }
  if (suite.stopped.aborted) return nothing
  const repeated = await runWithoutFaults(suite, `run without faults ${when}`, () => limitMs)
  const { code, isTimedOut, recorder } = repeated
  if (suite.stopped.aborted) return nothing
  if (isTimedOut) return { changes: [`${when} it did not end within ${limitMs / 1000} s`], hasFailed: true }
  if (code !== 0) return { changes: [`${when} it failed twice, with exit code ${code}`], hasFailed: true }
  const differences = compareRuns(requests, recorder.requests).map((line) => `${when}: ${line}`)
  return { changes: [...describeFirstFailure(repeated, when), ...differences], hasFailed: false }
}
