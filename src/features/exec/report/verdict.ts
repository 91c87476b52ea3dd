import type { SuiteFailCondition } from '../parse-suite-fail-on.ts'
import type { PlannedRun } from '../plan/plan.ts'

/**
 * The verdicts on the runs of a fault, in the order of the reports. `good` is a good response to the question of the
 * fault, a condition of `--fail-on` a finding that it counts, and undefined says nothing about the fault.
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
 * The verdict on the runs of a fault. `never-succeeded`: the command passed, and got no good response to the call that
 * the fault was injected. `hung`: the command did not end in time. `unsteady`: two runs disagree. `not-reached`: no
 * request met the fault.
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

/** Returns true for a verdict that returns the question of the fault, so that it counts in the shares. */
export function isConclusive(verdict: SuiteVerdict): boolean {
  return meanings[verdict] !== undefined
}

/** The end of a run of the command. */
export interface CommandEnd {
  /** The exit code; as in a shell 128 + n for signal n. */
  readonly code: number
  /** Is true if the time limit ended the command. */
  readonly isTimedOut: boolean
}

/** The outcome of one run under a fault. */
export interface RunOutcome extends CommandEnd {
  /** Is true if a request met the fault. */
  readonly wasApplied: boolean
  /** Is true if the call with the fault got a good response, at once or in a later request. */
  readonly hasSucceeded: boolean
}

/** Returns true for a run that failed, or did not end in time. */
export function isRed({ code, isTimedOut }: CommandEnd): boolean {
  return isTimedOut || code !== 0
}

/** Judges the runs of a fault: one that counts by itself, or two. */
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
