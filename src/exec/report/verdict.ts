import type { SuiteFailCondition } from '../parse-suite-fail-on.ts'
import type { PlannedRun } from '../plan/plan.ts'

/** The verdicts on the runs of a fault, in the order of the reports. */
export const verdicts = [
  'recovered',
  'never-succeeded',
  'noticed',
  'unnoticed',
  'broke',
  'hung',
  'unsteady',
  'not-reached',
] as const

/**
 * The verdict on the runs of a fault. `recovered` and `noticed` are good answers to the two questions, `broke` and
 * `unnoticed` are findings. `never-succeeded`: the command passed, and got no good answer to the call that the fault
 * struck. `hung`: the command did not end in time. `unsteady`: two runs disagree, which says nothing about the fault.
 * `not-reached`: no request met it.
 */
export type SuiteVerdict = (typeof verdicts)[number]

/** The verdicts that are findings, each with the condition of `--fail-on` that counts it. */
const findings: Partial<Record<SuiteVerdict, SuiteFailCondition['kind']>> = {
  'never-succeeded': 'not-resilient',
  unnoticed: 'unnoticed',
  broke: 'not-resilient',
  hung: 'hung',
}

/** Returns the finding that a verdict is, if any. */
export function findingOf(verdict: SuiteVerdict): SuiteFailCondition['kind'] | undefined {
  return findings[verdict]
}

/** Returns true for a verdict that answers the question of the fault, so that it counts in the shares. */
export function isConclusive(verdict: SuiteVerdict): boolean {
  return verdict !== 'unsteady' && verdict !== 'not-reached'
}

/** The end of a run of the command. */
interface CommandEnd {
  /** The exit code; as in a shell 128 + n for signal n. */
  readonly code: number
  /** Is true if the time limit ended the command. */
  readonly isTimedOut: boolean
}

/** The outcome of one run under a fault. */
export interface RunOutcome extends CommandEnd {
  /** Is true if a request met the fault. */
  readonly wasApplied: boolean
  /** Is true if the call with the fault got a good answer, at once or in a later request. */
  readonly hasSucceeded: boolean
}

/** Returns true for a run that failed, or did not end in time. */
export function isRed({ code, isTimedOut }: CommandEnd): boolean {
  return isTimedOut || code !== 0
}

/** Returns true for a run that counts only if a second one agrees: red, swallowed, or without its fault. */
export function needsSecondRun(run: PlannedRun, outcome: RunOutcome): boolean {
  return isRed(outcome) || ['never-succeeded', 'not-reached'].includes(judgeRuns(run, outcome, undefined))
}

/** Judges the runs of a fault. `second`: undefined for a first run that counts by itself; see `needsSecondRun`. */
export function judgeRuns({ fault }: PlannedRun, first: RunOutcome, second: RunOutcome | undefined): SuiteVerdict {
  const outcomes = second ? [first, second] : [first]
  if (outcomes.some(isRed) && !outcomes.every(isRed)) return 'unsteady'
  if (outcomes.some(({ isTimedOut }) => isTimedOut)) return 'hung'
  if (!outcomes.some(({ wasApplied }) => wasApplied)) return 'not-reached'
  if (!outcomes.every(({ wasApplied }) => wasApplied)) return 'unsteady'
  if (fault.question === 'notice') return isRed(first) ? 'noticed' : 'unnoticed'
  if (isRed(first)) return 'broke'
  if (outcomes.every(({ hasSucceeded }) => hasSucceeded)) return 'recovered'
  return outcomes.some(({ hasSucceeded }) => hasSucceeded) ? 'unsteady' : 'never-succeeded'
}
