import { type FindingsReport, judgeCondition, type Report } from '../../../server/reports/report.ts'
import type { Fault } from '../plan/fault-set.ts'
import type { PlannedRun } from '../plan/plan.ts'
import type { SuiteFailCondition, SuiteGate } from '../settings.ts'

/**
 * The verdicts on the runs with a fault, in the order of the reports: `good`, or the condition of `--fail-on` that
 * counts them, or undefined for an inconclusive one.
 */
const meanings = {
  recovered: 'good',
  'never-succeeded': 'not-resilient',
  noticed: 'good',
  unnoticed: 'unnoticed',
  broke: 'not-resilient',
  hung: 'hung',
  unsteady: undefined,
  'not-reached': undefined,
} as const satisfies Record<string, SuiteFailCondition['kind'] | 'good' | undefined>

/**
 * The verdict on the runs with a fault. `never-succeeded`: the command passed, and got no good response to the call
 * with the fault. `hung`: the command did not end in time. `unsteady`: two runs disagree. `not-reached`: no request got
 * the fault.
 */
export type SuiteVerdict = keyof typeof meanings

export const verdicts = Object.keys(meanings) as readonly SuiteVerdict[]

/** Returns the finding that a verdict is, if any. */
export function findingOf(verdict: SuiteVerdict): SuiteFailCondition['kind'] | undefined {
  const meaning = meanings[verdict]
  return meaning === 'good' ? undefined : meaning
}

export function isGood(verdict: SuiteVerdict): boolean {
  return meanings[verdict] === 'good'
}

/** Returns true for a verdict that counts in the percentages. */
export function isConclusive(verdict: SuiteVerdict): boolean {
  return meanings[verdict] !== undefined
}

/** The end of a run of the command. */
export interface CommandEnd {
  /** The exit code; as in a shell 128 + n for signal n. */
  readonly code: number
  /** True if the time limit ended the command. */
  readonly isTimedOut: boolean
}

/** The outcome of one run with a fault. */
export interface RunOutcome extends CommandEnd {
  /** True if a request got the fault. */
  readonly wasApplied: boolean
  /** True if the call with the fault got a good response, at once or in a later request. */
  readonly hasSucceeded: boolean
}

/** Returns true for a run that failed, or did not end in time. */
export function isRed({ code, isTimedOut }: CommandEnd): boolean {
  return isTimedOut || code !== 0
}

/** Judges the runs with a fault: one that counts by itself, or two. */
export function judgeRuns({ fault }: PlannedRun, outcomes: readonly RunOutcome[]): SuiteVerdict {
  const areRed = outcomes.every(isRed)
  if (!areRed && outcomes.some(isRed)) return 'unsteady'
  if (outcomes.some(({ isTimedOut }) => isTimedOut)) return 'hung'
  if (!outcomes.some(({ wasApplied }) => wasApplied)) return 'not-reached'
  if (!outcomes.every(({ wasApplied }) => wasApplied)) return 'unsteady'
  if (fault.question === 'notice') return areRed ? 'noticed' : 'unnoticed'
  if (areRed) return 'broke'
  if (outcomes.every(({ hasSucceeded }) => hasSucceeded)) return 'recovered'
  return outcomes.some(({ hasSucceeded }) => hasSucceeded) ? 'unsteady' : 'never-succeeded'
}

/**
 * A run that was made, or that cannot reach its fault. The command runs twice if the first run needs a second one; the
 * end is then that of a red one.
 */
export interface JudgedRun extends CommandEnd {
  readonly run: PlannedRun
  readonly verdict: SuiteVerdict
  /** The number of times that the command ran, 0 to 2. */
  readonly made: number
  /** The good responses to the call with the fault, without it and under it; undefined if no request got the fault. */
  readonly responses: { readonly expected: number; readonly got: number } | undefined
  /** The duration of the command, of two runs the sum, milliseconds. */
  readonly ms: number
  /** The findings on the client that the baseline run does not have: `retry: createEvent: retry-after: ...`. */
  readonly client: readonly string[]
  /** A sentence for each condition of `--fail-on` that the requests of this run meet. */
  readonly failed: readonly string[]
  readonly lastLines: readonly string[]
  /** The last requests in the order of their receipt, at most 200: `POST /v1/events 503 unavailable`. */
  readonly requests: readonly string[]
}

/** The question of the runs that each condition counts, and the words for it. */
const counted: Readonly<Record<SuiteFailCondition['kind'], { question?: Fault['question']; words: string }>> = {
  'not-resilient': { question: 'recover', words: 'did not recover' },
  unnoticed: { question: 'notice', words: 'were not noticed' },
  hung: { words: 'hung' },
}

/**
 * Judges the runs and their requests. `baseline` is the report on the run without faults, whose coverage counts.
 * @returns a sentence for each condition that is met
 */
export function judgeSuite(
  runs: readonly JudgedRun[],
  baseline: Report,
  findings: readonly FindingsReport[],
  conditions: readonly SuiteGate[],
): string[] {
  return conditions.flatMap((condition) => {
    if ('above' in condition) return judgeSuiteCondition(runs, condition) ?? []
    const [first, ...others] = [baseline, ...findings].flatMap((one) => judgeCondition(one, condition) ?? [])
    if (first === undefined) return []
    return others.length === 0 ? first : `${first}, and so in ${others.length} more runs`
  })
}

/** Judges the runs by one condition. @returns a sentence if it is met; undefined if the runs pass */
export function judgeSuiteCondition(
  runs: readonly JudgedRun[],
  { kind, above }: SuiteFailCondition,
): string | undefined {
  const { question, words } = counted[kind]
  const met = runs.filter(
    ({ verdict, run: { fault } }) => isConclusive(verdict) && fault.question === (question ?? fault.question),
  )
  const count = met.filter(({ verdict }) => findingOf(verdict) === kind).length
  if (count === 0 || toPercent(count, met.length) <= above) return undefined
  const subject = met.length === 1 ? `1 fault ${words.replace('were', 'was')}` : `${met.length} faults ${words}`
  const bound = above > 0 ? `, at most ${above} % wanted` : ''
  return `${count} of ${subject} (${toPercent(count, met.length)} %${bound})`
}

/** Judges the requests of one run by the conditions that hold for every run; coverage is not among them. */
export function judgeRequests(findings: FindingsReport, conditions: readonly SuiteGate[]): string[] {
  return conditions.flatMap((condition) => {
    if ('above' in condition) return []
    return judgeCondition(findings, condition) ?? []
  })
}

/** Returns a share in percent, rounded to one decimal. */
export function toPercent(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10
}
