import { parseDuration } from '../../core/instant.ts'
import type { Log } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Report } from '../../reports/report.ts'
import { compareRuns, findVaryingMembers } from '../plan/recorded-request.ts'
import type { PlainRequests } from '../report/good-answers.ts'
import { isRed } from '../report/verdict.ts'
import { showSeconds } from './progress.ts'
import { type EndedRun, executeRun, prepareRun } from './suite-run.ts'
import { isOver, refuseSuite, type TestSuite, type UntriableSuite } from './test-suite.ts'

/** The run without faults, which all others are compared with. */
export interface PlainRun extends PlainRequests {
  readonly report: Report
  /** The time limit of a run with faults, milliseconds. */
  readonly limitMs: number
  /** The failures that did not repeat: `at the start it failed with exit code 6`. */
  readonly changes: readonly string[]
}

/** A run without faults that has ended: the first one, or its repetition if it failed. */
interface EndedPlainRun extends EndedRun {
  /** The exit code of the first run if this one is its repetition; undefined: the first one did not fail. */
  readonly failedWith: number | undefined
}

/** The default of `--run-timeout` for the runs without faults. */
const defaultLimit = '10m'

/** The default of `--run-timeout` for all others: a multiple of the run without faults, at least so many ms. */
const limitFactor = 10
const minLimitMs = 10_000

/**
 * Runs the command twice without faults. The error says why it cannot be tried: it fails and fails again, does not end
 * in time, asks nothing, or does not repeat itself.
 */
export async function recordPlainRuns(suite: TestSuite): Promise<Result<PlainRun, UntriableSuite>> {
  const first = await recordRun(suite, 1, suite.output.log)
  if (!first.ok) return first
  const second = await recordRun(suite, 2)
  if (!second.ok) return second
  const { recorder, simulator, ms } = first.value
  const { requests } = recorder
  const again = second.value.recorder.requests
  const differences = compareRuns(requests, again)
  if (differences.length > 0)
    return refuseSuite(
      'convsim: two runs of the command without faults differ in their requests, so no fault has a fixed place:',
      ...differences.map((line) => `  ${line}`),
    )
  return success({
    requests,
    varying: findVaryingMembers(requests, again),
    report: await simulator.report(),
    limitMs: parseDuration(suite.settings.runTimeout ?? '') ?? Math.max(minLimitMs, limitFactor * ms),
    changes: [first.value, second.value].flatMap(({ failedWith }) =>
      failedWith === undefined ? [] : [`at the start it failed with exit code ${failedWith}`],
    ),
  })
}

/** Makes a run without faults, which must be green and ask something. */
async function recordRun(suite: TestSuite, number: 1 | 2, log?: Log): Promise<Result<EndedPlainRun, UntriableSuite>> {
  const { settings, deadline, elapsed } = suite
  const limitMs = parseDuration(settings.runTimeout ?? defaultLimit) ?? 0
  const findLimit = () => Math.max(0, Math.min(limitMs, deadline - elapsed()))
  const made = await runWithoutFaults(suite, `run ${number} of 2 without faults`, findLimit, log)
  if (!made.ok) return made
  if (isRed(made.value)) return failure(describeRed(suite, made.value))
  if (made.value.recorder.requests.length > 0) return made
  return refuseSuite(
    'convsim: the command sends no request to the simulator, ' +
      'whose base URL is in CONVSIM_BASE_URL, or in the variable of --env NAME.',
  )
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
  return { code: isTimedOut ? 1 : code, lines }
}

/**
 * Runs the command without faults, and once more if it fails, unless it has not ended in time. `title`: see
 * `showSeconds`. The error says why no simulator can start.
 */
async function runWithoutFaults(
  suite: TestSuite,
  title: string,
  findLimit: () => number,
  log?: Log,
): Promise<Result<EndedPlainRun, UntriableSuite>> {
  const runOnce = async (words: string, failedWith?: number): Promise<Result<EndedPlainRun, UntriableSuite>> => {
    const limitMs = findLimit()
    const prepared = await prepareRun(suite, { log: failedWith === undefined ? log : undefined })
    if (!prepared.ok) return prepared
    const clearProgress = showSeconds(suite.line, words, suite.elapsed)
    const ended = await executeRun(suite, prepared.value, limitMs)
    clearProgress()
    return success({ ...ended, failedWith })
  }
  const first = await runOnce(title)
  if (!first.ok || !isRed(first.value) || first.value.isTimedOut || suite.stopped.aborted) return first
  return runOnce(`${title}, once more, since it failed`, first.value.code)
}

/** The outcome of a further run without faults. */
interface PlainCheck {
  /** The differences from the first one: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** Is true if the command failed in both runs, or ran too long, so that a red run says nothing about its fault. */
  readonly hasFailed: boolean
}

/** Runs the command without faults again, at a time such as `after 20 runs`. A run that a stop ends says nothing. */
export async function repeatPlainRun(
  suite: TestSuite,
  { requests, limitMs }: PlainRun,
  when: string,
): Promise<Result<PlainCheck, UntriableSuite>> {
  const nothing = success({ changes: [], hasFailed: false })
  if (suite.stopped.aborted) return nothing
  const repeated = await runWithoutFaults(suite, `run without faults ${when}`, () => limitMs)
  if (!repeated.ok) return repeated
  const { code, isTimedOut, recorder, failedWith } = repeated.value
  if (suite.stopped.aborted) return nothing
  if (isTimedOut) return success({ changes: [`${when} it did not end within ${limitMs / 1000} s`], hasFailed: true })
  if (code !== 0) return success({ changes: [`${when} it failed twice, with exit code ${code}`], hasFailed: true })
  const failed = failedWith === undefined ? [] : [`${when} it failed with exit code ${failedWith}`]
  const differences = compareRuns(requests, recorder.requests).map((line) => `${when}: ${line}`)
  return success({ changes: [...failed, ...differences], hasFailed: false })
}
