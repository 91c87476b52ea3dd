import type { SuiteFailCondition } from './parse-suite-fail-on.ts'
import type { PlannedRun } from './plan.ts'

/** The verdicts on a run, good ones first. */
export const verdicts = ['recovered', 'noticed', 'not-noticed', 'broke', 'hung', 'not-reached'] as const

/**
 * The verdict on a run. `recovered` and `noticed` are good answers to the two questions, `broke` and `not-noticed` are findings. `hung`:
 * the command did not end in time. `not-reached`: no request met the fault.
 */
export type SuiteVerdict = (typeof verdicts)[number]

/** The verdicts that are findings, each with the condition of `--fail-on` that counts it. */
const findings: Partial<Record<SuiteVerdict, SuiteFailCondition['kind']>> = {
  'not-noticed': 'unnoticed',
  broke: 'not-resilient',
  hung: 'hung',
}

/** Returns the finding that a verdict is; undefined: it is none. */
export function findingOf(verdict: SuiteVerdict): SuiteFailCondition['kind'] | undefined {
  return findings[verdict]
}

/** The end of a run of the command. */
export interface CommandEnd {
  /** The exit code; as in a shell 128 + n for signal n. */
  readonly code: number
  /** True: the time limit ended the command. */
  readonly isTimedOut: boolean
}

/** Judges a run by the end of the command, and by whether a request met the fault. */
export function judgeRun(
  { fault }: PlannedRun,
  { code, isTimedOut }: CommandEnd,
  wasMet: boolean,
): SuiteVerdict {
  if (isTimedOut) return 'hung'
  if (!wasMet) return 'not-reached'
  if (fault.question === 'recover') return code === 0 ? 'recovered' : 'broke'
  return code === 0 ? 'not-noticed' : 'noticed'
}
