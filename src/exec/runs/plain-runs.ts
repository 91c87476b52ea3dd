import { parseDuration } from '../../core/instant.ts'
import type { Log } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Report } from '../../reports/report.ts'
import { compareRuns, findVaryingMembers } from '../plan/recorded-request.ts'
import type { PlainRequests } from '../report/good-answers.ts'
import { isRed } from '../report/verdict.ts'
import { showSeconds } from './progress.ts'
import { type EndedRun, executeRun, prepareRun } from './suite-run.ts'
import { refuse, type TestSuite, type UntriableSuite } from './test-suite.ts'

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
  readonly limit: PlainLimit
  /** The exit code of the first run if this one is its repetition; undefined: the first one did not fail. */
  readonly failedWith: number | undefined
}

/** The time limit of a run without faults, and the words for it. */
interface PlainLimit {
  readonly ms: number
  readonly words: string
}

/** The default of `--run-timeout` for the runs without faults. */
const defaultLimit = '10m'

/** The default of `--run-timeout` for all others: this many times the run without faults, and at least so many milliseconds. */
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
    return refuse(
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
async function recordRun(
  suite: TestSuite,
  number: 1 | 2,
  log?: Log,
): Promise<Result<EndedPlainRun, UntriableSuite>> {
  const title = `run ${number} of 2 without faults`
  const made = await runWithoutFaults(suite, title, () => limitPlainRun(suite), log)
  if (!made.ok) return made
  if (isRed(made.value)) return failure(describeRed(made.value))
  if (made.value.recorder.requests.length > 0) return made
  return refuse(
    'convsim: the command sends no request to the simulator, whose base URL is in CONVSIM_BASE_URL, or in the variable of --env NAME.',
  )
}

/** Returns the limit that ends a run first. */
function limitPlainRun({ settings: { runTimeout, time }, deadline, elapsed }: TestSuite): PlainLimit {
  const text = runTimeout ?? defaultLimit
  const ms = parseDuration(text) ?? 0
  const left = Math.max(0, deadline - elapsed())
  if (left < ms) return { ms: left, words: `within --time ${time} (for two runs)` }
  const words = runTimeout === undefined ? `within ${text} (--run-timeout)` : `within --run-timeout ${text}`
  return { ms, words }
}

function describeRed({ code, isTimedOut, lastLines, limit }: EndedPlainRun): UntriableSuite {
  const end = isTimedOut ? `does not end ${limit.words}` : `fails with exit code ${code}`
  const lines = [
    `convsim: the command ${end} without any fault, so ${isTimedOut ? 'it cannot be tried' : 'its failures say nothing about faults'}. Its last lines:`,
    ...lastLines.map((line) => `  ${line}`),
  ]
  return { code: isTimedOut ? 1 : code, lines }
}

/**
 * Runs the command without faults, and once more if it fails, unless it has not ended in time. `title`: see `showSeconds`. The error says why
 * no simulator can start.
 */
async function runWithoutFaults(
  suite: TestSuite,
  title: string,
  findLimit: () => PlainLimit,
  log?: Log,
): Promise<Result<EndedPlainRun, UntriableSuite>> {
  const runOnce = async (
    words: string,
    failedWith?: number,
  ): Promise<Result<EndedPlainRun, UntriableSuite>> => {
    const limit = findLimit()
    const prepared = await prepareRun(suite, { log: failedWith === undefined ? log : undefined })
    if (!prepared.ok) return prepared
    const clearProgress = showSeconds(suite.line, words, suite.elapsed)
    const ended = await executeRun(suite, prepared.value, limit.ms)
    clearProgress()
    return success({ ...ended, limit, failedWith })
  }
  const first = await runOnce(title)
  if (!first.ok || !isRed(first.value) || first.value.isTimedOut || suite.stopped.aborted) return first
  return runOnce(`${title}, once more, since it failed`, first.value.code)
}

/** The outcome of a further run without faults. */
export interface PlainCheck {
  /** The differences from the first one: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** True: the command failed in both runs, or did not end in time, so that a red run says nothing about its fault. */
  readonly hasFailed: boolean
}

/** Runs the command again without faults. `when`: `after 20 runs`, `at the end`. A run that a stop ends says nothing. */
export async function repeatPlainRun(
  suite: TestSuite,
  { requests, limitMs }: PlainRun,
  when: string,
): Promise<Result<PlainCheck, UntriableSuite>> {
  const nothing = success({ changes: [], hasFailed: false })
  if (suite.stopped.aborted) return nothing
  const limit = { ms: limitMs, words: '' }
  const repeated = await runWithoutFaults(suite, `run without faults ${when}`, () => limit)
  if (!repeated.ok) return repeated
  const { code, isTimedOut, recorder, failedWith } = repeated.value
  if (suite.stopped.aborted) return nothing
  if (isTimedOut)
    return success({ changes: [`${when} it did not end within ${limitMs / 1000} s`], hasFailed: true })
  if (code !== 0)
    return success({ changes: [`${when} it failed twice, with exit code ${code}`], hasFailed: true })
  const failed = failedWith === undefined ? [] : [`${when} it failed with exit code ${failedWith}`]
  const differences = compareRuns(requests, recorder.requests).map((line) => `${when}: ${line}`)
  return success({ changes: [...failed, ...differences], hasFailed: false })
}
