import { groupBy } from '../../../base/core/group-by.ts'
import { describeFindings, type FindingsReport, judgeCondition, type Report } from '../../../server/reports/report.ts'
import type { Fault } from '../plan/fault-set.ts'
import type { PlannedRun } from '../plan/plan.ts'
import type { Baseline } from '../runs/baseline.ts'
import type { EndedRun } from '../runs/execute-run.ts'
import { nameMember, type RecordedRequest } from '../runs/recorded-request.ts'
import { type CapturedEnd, isRed } from '../runs/run-command.ts'
import type { SuiteFailCondition, SuiteGate } from '../settings.ts'

/**
 * The meaning of each verdict: `good`, the `--fail-on` condition that counts the verdict, or undefined if the verdict
 * is inconclusive. Reports list the verdicts in this order.
 */
const meanings = {
  recovered: 'good',
  swallowed: 'not-resilient',
  'recorded-twice': 'not-resilient',
  noticed: 'good',
  unnoticed: 'unnoticed',
  broke: 'not-resilient',
  hung: 'hung',
  flaky: undefined,
  'not-reached': undefined,
} as const satisfies Record<string, SuiteFailCondition['kind'] | 'good' | undefined>

/**
 * The verdict on all runs with the same fault and target. `swallowed`: the command passed, but the call with the fault
 * got too few good responses. `recorded-twice`: the service stored an event more times than in the baseline run.
 * `flaky`: the runs disagree, or a run without faults failed between them. `not-reached`: no request got the fault.
 */
export type SuiteVerdict = keyof typeof meanings

export const verdicts = Object.keys(meanings) as readonly SuiteVerdict[]

export function findingOf(verdict: SuiteVerdict): SuiteFailCondition['kind'] | undefined {
  const meaning = meanings[verdict]
  return meaning === 'good' ? undefined : meaning
}

export const isGood = (verdict: SuiteVerdict) => meanings[verdict] === 'good'

export const isConclusive = (verdict: SuiteVerdict) => meanings[verdict] !== undefined

export interface RunOutcome extends Pick<CapturedEnd, 'code' | 'isTimedOut'> {
  /** How many good responses the call with the fault should get and did get; undefined if no fault was injected. */
  readonly responses: { readonly expected: number; readonly got: number } | undefined
  /** Two records of an event that has more records than in the baseline run; undefined if there is no such event. */
  readonly twice?: RecordedTwice | undefined
}

/** A planned run with its verdict. Inherited members and `requests` describe a red attempt, or else the first one. */
export interface JudgedRun extends RunOutcome, CapturedEnd {
  readonly run: PlannedRun
  readonly verdict: SuiteVerdict
  readonly attemptCount: number
  /** The total duration of the command in all attempts, in milliseconds. */
  readonly ms: number
  /** The findings about the client that the baseline run did not have: `retries: createEvent: retry-after: ...`. */
  readonly client: readonly string[]
  /** A sentence for each `--fail-on` condition that the requests in this run meet. */
  readonly failed: readonly string[]
  /** The last 200 requests, in order of receipt: `POST /v1/events 503 unavailable`. */
  readonly requests: readonly string[]
}

const maxReportedRequests = 200

export function judgeRun(
  run: PlannedRun,
  attempts: readonly EndedRun[],
  baseline: Baseline,
  failOn: readonly SuiteGate[],
  isConfirmed = true,
): JudgedRun {
  const outcomes = attempts.map((attempt) => ({
    ...attempt,
    responses: countGoodResponses(baseline, attempt),
    twice: findRecordedTwice(baseline, attempt.requests),
  }))
  const verdict = judgeOutcomes(run, outcomes)
  // Show a red run if there is one, preferably one that timed out or one into which no fault was injected.
  const red = outcomes.filter(isRed)
  const shown = red.find(({ isTimedOut, target }) => isTimedOut || !target) ?? red.at(-1) ?? outcomes[0]
  const { code = 0, isTimedOut = false, lastLines = [], responses, requests = [], twice } = shown ?? {}
  const known = new Set(listSentences(baseline.report))
  const sentences = attempts.flatMap(({ findings }) => listSentences(findings))
  return {
    run,
    verdict: verdict === 'broke' && !isConfirmed ? 'flaky' : verdict,
    twice,
    attemptCount: attempts.length,
    responses,
    code,
    isTimedOut,
    ms: attempts.reduce((sum, { ms }) => sum + ms, 0),
    client: [...new Set(sentences)].filter((sentence) => !known.has(sentence)),
    failed: [...new Set(attempts.flatMap(({ findings }) => judgeRequests(findings, failOn)))],
    lastLines,
    requests: requests.slice(-maxReportedRequests).map(({ line }) => line),
  }
}

/** Returns true if a second run must confirm the verdict. */
export function mustRepeat(judged: JudgedRun): boolean {
  return isRed(judged) || ['swallowed', 'not-reached', 'recorded-twice'].includes(judged.verdict)
}

export function judgeOutcomes({ fault }: PlannedRun, outcomes: readonly RunOutcome[]): SuiteVerdict {
  const areAllRed = outcomes.every(isRed)
  if (!areAllRed && outcomes.some(isRed)) return 'flaky'
  if (outcomes.some(({ isTimedOut }) => isTimedOut)) return 'hung'
  const responses = outcomes.flatMap((one) => one.responses ?? [])
  if (responses.length === 0) return 'not-reached'
  if (responses.length < outcomes.length) return 'flaky'
  if (fault.expectedReaction === 'notice') return areAllRed ? 'noticed' : 'unnoticed'
  if (areAllRed) return 'broke'
  const twiceCount = outcomes.filter(({ twice }) => twice).length
  if (twiceCount > 0) return twiceCount === outcomes.length ? 'recorded-twice' : 'flaky'
  return judgeSuccess(responses)
}

function judgeSuccess(responses: readonly NonNullable<RunOutcome['responses']>[]): SuiteVerdict {
  const successCount = responses.filter(({ expected, got }) => got >= expected).length
  if (successCount === responses.length) return 'recovered'
  return successCount > 0 ? 'flaky' : 'swallowed'
}

function listSentences(report: FindingsReport): string[] {
  return describeFindings(report).flatMap(({ kind, line }) => (kind === 'advice' ? [] : line))
}

/**
 * Returns a sentence for each condition that `report` meets. Ignores conditions on verdicts and, if `report` has no
 * coverage, conditions on coverage.
 */
export function judgeRequests(report: FindingsReport, conditions: readonly SuiteGate[]): string[] {
  return conditions.flatMap((condition) => ('above' in condition ? [] : (judgeCondition(report, condition) ?? [])))
}

type Call = Pick<RecordedRequest, 'call' | 'operation' | 'members'>

/**
 * Counts the good responses to all attempts at the call that got the fault. `expected` is 1 if the response with the
 * fault is good (as with `slow`). Otherwise, it is the count in the baseline run, since other tests may make the same
 * call. If the baseline run has no good response to such an attempt, this function counts the good responses to
 * requests with the same `call`, or else to all requests to the operation.
 */
export function countGoodResponses(
  baseline: Pick<Baseline, 'requests' | 'varying'>,
  { requests, target }: Pick<EndedRun, 'requests' | 'target'>,
): RunOutcome['responses'] {
  if (!target) return undefined
  const good = baseline.requests.filter(({ isGood }) => isGood)
  const isSameOperation = ({ operation }: Call) => operation?.id === target.operation?.id
  const isSameShape = ({ call }: Call) => call === target.call
  const isAttempt = (one: Call) => isSameOperation(one) && isAttemptAt(one, target, baseline.varying)
  const isSimilar = [isAttempt, isSameShape].find((compare) => good.some(compare)) ?? isSameOperation
  return {
    expected: target.isGood ? 1 : good.filter(isSimilar).length,
    got: requests.filter((one) => one.isGood && isSimilar(one)).length,
  }
}

/**
 * Returns true if a request has the call's `insertId`, or all values of the call that do not vary between runs. The
 * request may have further members, since a client may add members such as `eventAt` when it retries.
 */
function isAttemptAt(one: Call, { call, members }: Call, varying: ReadonlySet<string>): boolean {
  const insertId = members.get('/insertId')
  if (insertId !== undefined && one.members.get('/insertId') === insertId) return true
  return [...members].every(([name, value]) => one.members.get(name) === value || varying.has(nameMember(call, name)))
}

/** The wording of each condition. If `reaction` is set, only faults that should cause this reaction are counted. */
const wording: Readonly<Record<SuiteFailCondition['kind'], { reaction?: Fault['expectedReaction']; words: string }>> = {
  'not-resilient': { reaction: 'recover', words: 'were not handled' },
  unnoticed: { reaction: 'notice', words: 'were not noticed' },
  hung: { words: 'made the command hang' },
}

/** Returns a sentence for each condition that is met. Coverage is judged only for the baseline run. */
export function judgeSuite(
  runs: readonly JudgedRun[],
  baseline: Report,
  findings: readonly FindingsReport[],
  conditions: readonly SuiteGate[],
): string[] {
  return conditions.flatMap((condition) => {
    if ('above' in condition) return judgeSuiteCondition(runs, condition) ?? []
    const [first, ...others] = [baseline, ...findings].flatMap((one) => judgeCondition(one, condition) ?? [])
    if (first === undefined || others.length === 0) return first ?? []
    return `${first}, and similarly in ${others.length} more run${others.length === 1 ? '' : 's'}`
  })
}

export function judgeSuiteCondition(
  runs: readonly JudgedRun[],
  { kind, above }: SuiteFailCondition,
): string | undefined {
  const { reaction, words } = wording[kind]
  const relevantRuns = runs.filter(({ verdict, run: { fault } }) => {
    return isConclusive(verdict) && (reaction === undefined || fault.expectedReaction === reaction)
  })
  const count = relevantRuns.filter(({ verdict }) => findingOf(verdict) === kind).length
  if (count === 0 || toPercent(count, relevantRuns.length) <= above) return undefined
  const verb = count === 1 ? words.replace('were', 'was') : words
  const bound = above > 0 ? `, at most ${above}% allowed` : ''
  const noun = relevantRuns.length === 1 ? 'fault' : 'faults'
  return `${count} of ${relevantRuns.length} ${noun} ${verb} (${toPercent(count, relevantRuns.length)}%${bound})`
}

export function toPercent(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10
}

type RecordedTwice = readonly [string, string]

function findRecordedTwice(
  { requests: before, varying }: Pick<Baseline, 'requests' | 'varying'>,
  requests: readonly RecordedRequest[],
): RecordedTwice | undefined {
  const known = groupRecords(before, varying)
  for (const [event, records] of groupRecords(requests, varying)) {
    const [first, second] = [...records.values()].slice(-2)
    const expected = known.get(event)?.size
    if (expected !== undefined && records.size > expected && first && second) return [first, second]
  }
  return undefined
}

function groupRecords(requests: readonly RecordedRequest[], varying: ReadonlySet<string>) {
  const stored = requests.filter((one) => one.stored !== undefined)
  const groups = groupBy(stored, ({ call, members, operation }) => {
    const own = [...members].filter(([name]) => !renewedMembers.includes(name) && !varying.has(nameMember(call, name)))
    return JSON.stringify([operation?.id, own])
  })
  return new Map([...groups].map(([event, own]) => [event, new Map(own.map((one) => [one.stored, nameRecord(one)]))]))
}

const renewedMembers = ['/insertId', '/eventAt']

const nameRecord = ({ stored = '', members }: RecordedRequest) =>
  `${/"eventId":("[^"]*")/.exec(stored)?.[1] ?? stored} (insertId ${members.get('/insertId') ?? 'missing'})`
