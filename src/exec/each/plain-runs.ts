import { parseDuration } from '../../core/instant.ts'
import type { Log } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { Report } from '../../reports/report.ts'
import { compareRuns } from '../plan/recorded-request.ts'
import { findVaryingMembers } from '../plan/request-members.ts'
import type { PlainRequests } from '../report/good-answers.ts'
import { isRed } from '../report/verdict.ts'
import type { EndedRun, RunDeps } from './faulty-run.ts'
import { type EndedPlainRun, runWithoutFaults } from './plain-run.ts'

/** The run without faults, which all others are compared with. */
export interface PlainRun extends PlainRequests {
  readonly report: Report
  /** The duration of the command, milliseconds. */
  readonly ms: number
  /** The failures that did not repeat: `at the start it failed with exit code 6`. */
  readonly changes: readonly string[]
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

/**
 * Runs the command twice without faults. The error says why it cannot be tried: it fails and fails again, does not end
 * in time, asks nothing, or does not repeat itself.
 */
export async function recordPlainRuns(deps: RunDeps): Promise<Result<PlainRun, UntriableSuite>> {
  const { time } = deps.settings
  const end = deps.elapsed() + (parseDuration(time ?? '') ?? Number.POSITIVE_INFINITY)
  const first = await runPlainly(deps, 1, end, deps.dependencies.log)
  if (!first.ok) return first
  const second = await runPlainly(deps, 2, end)
  if (!second.ok) return second
  const { ended, simulator } = first.value
  const { requests } = ended.recorder
  const again = second.value.ended.recorder.requests
  const differences = compareRuns(requests, again)
  if (differences.length === 0) {
    const changes = [first.value, second.value].flatMap(({ failedWith }) =>
      failedWith === undefined ? [] : [`at the start it failed with exit code ${failedWith}`],
    )
    const varying = findVaryingMembers(requests, again)
    return success({ requests, varying, report: await simulator.report(), ms: ended.ms, changes })
  }
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

/** Makes a run without faults, which must be green and ask something. */
async function runPlainly(
  deps: RunDeps,
  number: 1 | 2,
  end: number,
  log?: Log,
): Promise<Result<EndedPlainRun, UntriableSuite>> {
  let limit = limitPlainRun(deps, end)
  const takeLimit = () => {
    limit = limitPlainRun(deps, end)
    return limit.ms
  }
  const made = await runWithoutFaults(deps, `run ${number} of 2 without faults`, takeLimit, log)
  if (!made.ok) return failure({ code: 1, lines: [], findings: made.error })
  const { ended } = made.value
  if (isRed(ended)) return failure(describeRed(ended, limit))
  if (ended.recorder.requests.length > 0) return made
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
