import { parseDuration } from '../../../base/core/instant.ts'
import type { Log } from '../../../base/core/log.ts'
import type { Report } from '../../../server/reports/report.ts'
import { type EndedRun, executeRun, isOver, type TestSuite, UntestableSuite } from './execute-run.ts'
import { compareRuns, findVaryingMembers, type RecordedRequest } from './recorded-request.ts'
import { isRed } from './run-command.ts'

/** The first run without faults, to which all other runs are compared. */
export interface Baseline {
  readonly requests: readonly RecordedRequest[]
  /** The members whose values differ between two runs without faults; see `findVaryingMembers`. */
  readonly varying: ReadonlySet<string>
  readonly report: Report
  readonly limitMs: number
  /** Failures that did not recur: `at the start, the command failed with exit code 6`. */
  readonly changes: readonly string[]
}

/** The default of `--run-timeout` for the initial runs without faults. */
const defaultLimit = '10m'

/** The default of `--run-timeout` for all other runs: a multiple of the baseline run's duration, with a minimum. */
const limitFactor = 10
const minLimitMs = 10_000

/** Runs the command twice without faults. Throws `UntestableSuite` if the suite cannot be tested. */
export async function recordBaseline(suite: TestSuite): Promise<Baseline> {
  const first = await recordRun(suite, 1, suite.output.log)
  const second = await recordRun(suite, 2)
  const { requests } = first
  const differences = compareRuns(requests, second.requests)
  if (differences.length > 0)
    throw new UntestableSuite([
      'convsim: no faults can be injected, because the requests or responses of two runs without faults differ:',
      ...differences.map((line) => `  ${line}`),
    ])
  return {
    requests,
    varying: findVaryingMembers(requests, second.requests),
    report: await first.simulator.report(),
    limitMs: parseDuration(suite.settings.runTimeout ?? '') ?? Math.max(minLimitMs, limitFactor * first.ms),
    changes: [...first.changes, ...second.changes],
  }
}

async function recordRun(suite: TestSuite, number: 1 | 2, log?: Log) {
  const limitMs = parseDuration(suite.settings.runTimeout ?? defaultLimit) ?? 0
  const title = `run ${number} of 2 without faults`
  const ended = await runWithoutFaults(suite, { title, when: 'at the start', limitMs, log })
  if (isRed(ended)) throw refuseRed(suite, ended)
  if (ended.requests.length > 0) return ended
  throw new UntestableSuite([
    'convsim: the command sent no requests to the simulator. ' +
      'The base URL of the simulator is in CONVSIM_BASE_URL and in any variable named by --env.',
  ])
}

function refuseRed(suite: TestSuite, { code, isTimedOut, lastLines }: EndedRun): UntestableSuite {
  const { runTimeout, time } = suite.settings
  const own = runTimeout === undefined ? `${defaultLimit} (--run-timeout)` : `--run-timeout ${runTimeout}`
  const limit = isOver(suite) ? `--time ${time} (for both runs without faults)` : own
  const end = isTimedOut ? `did not finish within ${limit}` : `failed with exit code ${code}`
  const reason = isTimedOut ? 'it cannot be tested' : 'its failures with a fault would be inconclusive'
  const lines = [
    `convsim: even without a fault, the command ${end}, so ${reason}. Its last lines of output:`,
    ...lastLines.map((line) => `  ${line}`),
  ]
  return new UntestableSuite(lines, isTimedOut ? 1 : code)
}

interface BaselineOptions {
  readonly title: string
  readonly when: string
  readonly limitMs: number
  readonly log?: Log | undefined
}

/** Runs the command without faults. If it fails within the time limit, reruns it and records the first failure. */
async function runWithoutFaults(
  suite: TestSuite,
  options: BaselineOptions,
): Promise<EndedRun & Pick<Baseline, 'changes'>> {
  const { title, when, limitMs } = options
  const first = await runOnce(suite, options)
  if (!isRed(first) || first.isTimedOut || suite.stopped.aborted) return { ...first, changes: [] }
  const second = await runOnce(suite, { title: `${title}, repeated because it failed`, when, limitMs })
  return { ...second, changes: [`${when}, the command failed with exit code ${first.code}`] }
}

async function runOnce(suite: TestSuite, { title, limitMs, log }: BaselineOptions): Promise<EndedRun> {
  const { line, elapsed, deadline } = suite
  const startedAt = elapsed()
  const showSeconds = () => line.show(`${title}, ${Math.floor((elapsed() - startedAt) / 1000)} s`)
  showSeconds()
  const timer = setInterval(showSeconds, 1000)
  try {
    return await executeRun(suite, { limitMs: Math.max(0, Math.min(limitMs, deadline - startedAt)), log })
  } finally {
    clearInterval(timer)
    line.clear()
  }
}

/**
 * Runs the command without faults again and returns the differences from the baseline. `when` is the time of the
 * check, such as `after 20 runs`. `hasFailed` is true if the command failed twice or ran too long.
 */
export async function checkBaseline(suite: TestSuite, { requests, limitMs }: Baseline, when: string) {
  const unlimited = { ...suite, deadline: Number.POSITIVE_INFINITY }
  const ended = await runWithoutFaults(unlimited, { title: `run without faults ${when}`, when, limitMs })
  if (suite.stopped.aborted) return { changes: [], hasFailed: false } // an interrupted run is inconclusive
  if (!isRed(ended)) {
    const differences = compareRuns(requests, ended.requests).map((line) => `${when}, ${line}`)
    return { changes: [...ended.changes, ...differences], hasFailed: false }
  }
  const { isTimedOut, code } = ended
  const end = isTimedOut ? `did not finish within ${limitMs / 1000} s` : `failed twice, with exit code ${code}`
  return { changes: [`${when}, the command ${end}`], hasFailed: true }
}
