import { describeFindings, type FindingsReport } from '../../../server/reports/report.ts'
import type { PlannedRun } from '../plan/plan.ts'
import type { Baseline } from '../runs/baseline.ts'
import type { EndedRun } from '../runs/execute-run.ts'
import { nameMember, type RecordedRequest } from '../runs/recorded-request.ts'
import type { SuiteGate } from '../settings.ts'
import { isRed, type JudgedRun, judgeRequests, judgeRuns, type RunOutcome } from './verdict.ts'

/** The end of a run, and of its repetition if there is one. */
export type RunEnds = [EndedRun, ...EndedRun[]]

/** The number of requests of a run that a report has: the last ones. */
const maxRequests = 200

/** Returns true for a run that counts only if a second one agrees: red, swallowed, or without its fault. */
export function mustRepeat(run: PlannedRun, first: EndedRun, baseline: Baseline): boolean {
  return isRed(first) || ['never-succeeded', 'not-reached'].includes(judgeRuns(run, [toOutcome(first, baseline)]))
}

export function judgeRun(run: PlannedRun, ends: RunEnds, baseline: Baseline, failOn: readonly SuiteGate[]): JudgedRun {
  const { code, isTimedOut, lastLines, requests, target } = chooseShown(ends)
  const known = new Set(listSentences(baseline.report))
  const sentences = ends.flatMap(({ findings }) => listSentences(findings))
  return {
    run,
    verdict: judgeRuns(
      run,
      ends.map((ended) => toOutcome(ended, baseline)),
    ),
    made: ends.length,
    responses: target && countGoodResponses(baseline, requests, target),
    code,
    isTimedOut,
    ms: ends.reduce((sum, { ms }) => sum + ms, 0),
    client: [...new Set(sentences)].filter((sentence) => !known.has(sentence)),
    failed: [...new Set(ends.flatMap(({ findings }) => judgeRequests(findings, failOn)))],
    lastLines,
    requests: requests.slice(-maxRequests).map(({ line }) => line),
  }
}

/** Chooses the run that the report shows: a red one, if possible one that hung or failed before the fault. */
function chooseShown(ends: RunEnds): EndedRun {
  const red = ends.filter(isRed)
  return red.find(({ isTimedOut, target }) => isTimedOut || !target) ?? red.at(-1) ?? ends[0]
}

function toOutcome({ code, isTimedOut, target, requests }: EndedRun, baseline: Baseline): RunOutcome {
  const hasSucceeded = target !== undefined && hasGoodResponse(baseline, requests, target)
  return { code, isTimedOut, wasApplied: target !== undefined, hasSucceeded }
}

/** Lists the findings on the client: `retry: createEvent: retry-after: ...`. */
function listSentences(report: FindingsReport): string[] {
  return describeFindings(report)
    .filter(({ kind }) => kind !== 'advice')
    .map(({ line }) => line)
}

type BaselineRequests = Pick<Baseline, 'requests' | 'varying'>
type Call = Pick<RecordedRequest, 'call' | 'operation' | 'members'>

/** Returns true if a call with a fault got a good response: at once, such as a slow one, or in a further request. */
export function hasGoodResponse(
  baseline: BaselineRequests,
  run: readonly RecordedRequest[],
  target: RecordedRequest,
): boolean {
  const { expected, got } = countGoodResponses(baseline, run, target)
  return target.isGood || got >= expected
}

/**
 * Counts the good responses to tries of a call with a fault, without faults and under the fault. One is not enough,
 * since the next test may make the same call. If the baseline run has no such call, since its values are random, those
 * of the same shape are counted, else those of the same operation.
 */
export function countGoodResponses(
  { requests, varying }: BaselineRequests,
  run: readonly RecordedRequest[],
  target: Call,
) {
  const good = requests.filter(({ isGood }) => isGood)
  const isSameOperation = ({ operation }: Call) => operation?.id === target.operation?.id
  const isSameShape = ({ call }: Call) => call === target.call
  const isTry = (one: Call) => isSameOperation(one) && isTryOf(one, target, varying)
  const isSimilar = [isTry, isSameShape].find((compare) => good.some(compare)) ?? isSameOperation
  return { expected: good.filter(isSimilar).length, got: run.filter((one) => one.isGood && isSimilar(one)).length }
}

/**
 * Returns true for a request with the `insertId` of another, or with all its values that do not vary between runs. A
 * client may add members when it tries again, such as `eventAt`.
 */
function isTryOf(one: Call, { call, members }: Call, varying: ReadonlySet<string>): boolean {
  const insertId = members.get('/insertId')
  if (insertId !== undefined && one.members.get('/insertId') === insertId) return true
  return [...members].every(([name, value]) => one.members.get(name) === value || varying.has(nameMember(call, name)))
}
