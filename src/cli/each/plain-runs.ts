import { parseDuration } from '../../core/instant.ts'
import type { Log } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { Report } from '../../reports/report.ts'
import type { RunningSimulator } from '../../simulator/start.ts'
import { compareRuns, type RecordedRequest } from '../../suites/recorded-request.ts'
import { type EndedRun, executeRun, prepareRun, type RunDeps } from './faulty-run.ts'
import { showPlainProgress } from './progress.ts'

/** The run without faults, which all others are compared with. */
export interface PlainRun {
  readonly requests: readonly RecordedRequest[]
  readonly report: Report
  /** The duration of the command, milliseconds. */
  readonly ms: number
}

/** The reason why a suite cannot be tried. */
export interface UntriableSuite {
  /** The exit code of the process. */
  readonly code: number
  /** The reason, and what differs or the output of the command. */
  readonly lines: readonly string[]
  /** The findings that prevent the start of a simulator; absent: it started. */
  readonly findings?: Findings
}

/** The default of `--run-timeout` for the runs without faults. */
const defaultLimit = '10m'

/** Runs the command twice without faults. The error says why it cannot be tried: it fails, does not end in time, asks nothing, or does not repeat itself. */
export async function recordPlainRuns(deps: RunDeps): Promise<Result<PlainRun, UntriableSuite>> {
  const { time } = deps.settings
  const end = deps.elapsed() + (parseDuration(time ?? '') ?? Number.POSITIVE_INFINITY)
  const first = await runPlainly(deps, 1, end, deps.dependencies.log)
  if (!first.ok) return first
  const second = await runPlainly(deps, 2, end)
  if (!second.ok) return second
  const differences = compareRuns(first.value.requests, second.value.requests)
  const { requests, simulator, ms } = first.value
  if (differences.length === 0) return success({ requests, report: await simulator.report(), ms })
  return failure({
    code: 1,
    lines: [
      'convsim: two runs of the command without faults differ in their requests, so no fault has a fixed place:',
      ...differences.map((line) => `  ${line}`),
    ],
  })
}

/** The time limit of a run without faults, and the words for it. */
interface PlainLimit {
  readonly ms: number
  readonly words: string
}

/** Returns the limit that ends a run first. `end`: the end of `--time` by `elapsed`. */
function limitPlainRun({ settings, elapsed }: RunDeps, end: number): PlainLimit {
  const { runTimeout, time } = settings
  const text = runTimeout ?? defaultLimit
  const ms = parseDuration(text) ?? 0
  const left = Math.max(0, end - elapsed())
  if (left < ms) return { ms: left, words: `within --time ${time} (for two runs)` }
  return {
    ms,
    words: runTimeout === undefined ? `within ${text} (--run-timeout)` : `within --run-timeout ${text}`,
  }
}

/** A run without faults that succeeded, with its simulator, which is closed. */
interface EndedPlainRun extends Pick<PlainRun, 'requests' | 'ms'> {
  readonly simulator: Pick<RunningSimulator, 'report'>
}

async function runPlainly(
  deps: RunDeps,
  number: 1 | 2,
  end: number,
  log?: Log,
): Promise<Result<EndedPlainRun, UntriableSuite>> {
  const prepared = await prepareRun(deps, undefined, log)
  if (!prepared.ok) return failure({ code: 1, lines: [], findings: prepared.error })
  const limit = limitPlainRun(deps, end)
  const clearProgress = showPlainProgress(deps, `run ${number} of 2 without faults`)
  const ended = await executeRun(deps, prepared.value, limit.ms)
  clearProgress()
  const { requests } = ended.recorder
  if (ended.isTimedOut || ended.code !== 0) return failure(describeRed(ended, limit))
  if (requests.length > 0) return success({ requests, simulator: prepared.value.simulator, ms: ended.ms })
  return failure({
    code: 1,
    lines: [
      'convsim: the command sends no request to the simulator, whose base URL is in CONVSIM_BASE_URL, or in the variable of --env NAME.',
    ],
  })
}

function describeRed({ code, isTimedOut, lastLines }: EndedRun, { words }: PlainLimit): UntriableSuite {
  const end = isTimedOut ? `does not end ${words}` : `fails with exit code ${code}`
  const lines = [
    `convsim: the command ${end} without any fault, so ${isTimedOut ? 'it cannot be tried' : 'its failures say nothing about faults'}. Its last lines:`,
    ...lastLines.map((line) => `  ${line}`),
  ]
  return { code: isTimedOut ? 1 : code, lines }
}
