import { pluralize } from '../../reports/report.ts'
import type { ReportedRun } from '../../reports/reported-run.ts'
import { type SuiteReport, swallowed } from '../report/suite-report.ts'
import { type Candidate, describeStep } from './candidate.ts'

/**
 * The end of a hunt. `exhausted`: there was nothing more to draw. `red-plain-run`: the command failed without faults,
 * too, so that what was found is no finding.
 */
export type HuntEnd = 'found' | 'time' | 'max-runs' | 'interrupt' | 'exhausted' | 'red-plain-run'

/** The numbers of runs by the number of their steps. */
interface HuntCounts {
  readonly single: number
  readonly pair: number
  readonly longer: number
}

/**
 * The certainty of a finding. `confirmed`: it broke the suite in each run, and no smaller one did. `unreliable`: it, or
 * what shrinking made of it, broke the suite in some runs only. `incomplete`: the hunt ended before every smaller one
 * was tried.
 */
export type FindingCertainty = 'confirmed' | 'unreliable' | 'incomplete'

/** The faults that broke the suite, as few and as small as the runs could make them. */
export interface HuntFinding {
  readonly verdict: 'broke' | 'hung'
  readonly code: number
  readonly candidate: Candidate
  readonly drawn: Candidate
  /** The number of runs that shrank and confirmed the finding. */
  readonly shrinkingRuns: number
  readonly certainty: FindingCertainty
  /** The number of runs under these faults, and of those that broke. */
  readonly tally: { readonly made: number; readonly failed: number }
  /** The file of scenarios; undefined: it could not be written. */
  readonly file: string | undefined
  readonly repeat: string
  readonly lastLines: readonly string[]
  readonly requests: readonly string[]
}

export interface HuntReport extends Pick<SuiteReport, 'contract' | 'plainCounts' | 'limitMs' | 'changes' | 'failed'> {
  readonly run: ReportedRun
  readonly counts: HuntCounts
  /** The scenarios that were drawn from. */
  readonly scenarios: readonly string[]
  /** The number of runs that broke, and did not break again. */
  readonly unrepeatable: number
  /** The number of runs that were green, although a call that a fault struck got no good answer. */
  readonly neverSucceeded: number
  readonly end: HuntEnd
  /** Is true if `--fail-on` gives the conditions, so that a reader knows the flag. */
  readonly hasFailOn: boolean
  readonly finding: HuntFinding | undefined
}

/** Describes a finding: `The command fails with exit code 1 if request 1 of createEvent meets "reset".` */
export function describeHuntFinding({ verdict, code, candidate }: HuntFinding, { limitMs }: HuntReport): string {
  const end = verdict === 'hung' ? `does not end within ${limitMs / 1000} s` : `fails with exit code ${code}`
  return `The command ${end} if ${candidate.map(describeStep).join(', and ')}.`
}

/** Describes how small a finding is: `It passes if any one of them is left out.` */
export function describeNeed({ candidate, certainty, tally: { made, failed } }: HuntFinding): string {
  if (certainty === 'unreliable') {
    const count = `It failed in ${failed} of ${made} runs`
    return failed < made
      ? `${count}, so the suite itself may not be reliable.`
      : `${count}; a smaller one failed in some runs only, so there may be fewer.`
  }
  if (certainty === 'incomplete')
    return made === 1
      ? 'The end of the hunt came before it was repeated, so it may not fail again.'
      : 'The end of the hunt came before every smaller one was tried, so there may be fewer.'
  return candidate.length === 1
    ? 'It passes without it, and fails each time with it.'
    : 'It passes if any one of them is left out, and fails each time with all of them.'
}

/** Describes the origin of a finding: `It was drawn as: ... It was made smaller, and confirmed, in 12 more runs.` */
export function describeShrinking({ drawn, shrinkingRuns, certainty }: HuntFinding): string {
  const runs = pluralize(shrinkingRuns, 'more run')
  const shrinking =
    certainty === 'confirmed'
      ? `It was made smaller, and confirmed, in ${runs}.`
      : `To make it smaller and to confirm it, convsim made ${runs}.`
  return `It was drawn as: ${drawn.map(describeStep).join(', and ')}. ${shrinking}`
}

/** The words for the end of a hunt that found nothing. */
const ends: Readonly<Record<HuntEnd, string>> = {
  found: 'the suite broke',
  time: 'the time was up',
  'max-runs': '--max-runs was reached',
  interrupt: 'it was interrupted',
  exhausted: 'there was no other combination to draw',
  'red-plain-run': 'the command failed without faults, too',
}

/** Says that the command failed without faults, too, after it broke. */
export const redPlainRun = 'What broke the suite is no finding: the command fails without faults, too.'

/**
 * Describes the runs in which the client swallowed a failure, if there are any: `2 of 12 runs were green, but the call
 * never succeeded`.
 */
export function describeSwallowed(report: Pick<HuntReport, 'counts' | 'neverSucceeded'>): string | undefined {
  const { counts, neverSucceeded } = report
  const runs = pluralize(countRuns(counts), 'run')
  const words = neverSucceeded === 1 ? `was ${swallowed}` : `were ${swallowed}`
  return neverSucceeded === 0 ? undefined : `${neverSucceeded} of ${runs} ${words}`
}

export const countRuns = ({ single, pair, longer }: HuntCounts) => single + pair + longer

/** Says that nothing broke the suite, or that the command failed without faults, too. */
export function describeNothingFound({ end, counts }: Pick<HuntReport, 'end' | 'counts'>): string {
  const runs = pluralize(countRuns(counts), 'run')
  return end === 'red-plain-run' ? redPlainRun : `Nothing found in ${runs}: no combination broke the suite.`
}

/** Summarizes the runs: `41 runs until the suite broke: 11 with one fault, 30 with two, 0 with more.` */
export function summarizeHunt(report: HuntReport): string[] {
  const { counts, end, scenarios, unrepeatable, changes } = report
  const { single, pair, longer } = counts
  const runs = pluralize(countRuns(counts), 'run')
  const swallowing = describeSwallowed(report)
  return [
    ...(swallowing === undefined ? [] : [`${swallowing}: --each names the calls.`]),
    `${runs} until ${ends[end]}: ${single} with one fault, ${pair} with two, ${longer} with more.`,
    `The faults were drawn from ${scenarios.join(', ')}.`,
    ...(unrepeatable > 0
      ? [`${pluralize(unrepeatable, 'run')} failed, and passed when repeated: the suite itself is not reliable.`]
      : []),
    ...(changes.length > 0
      ? [`The outcome is not reliable, since the command differs without faults, too: ${changes.join('; ')}.`]
      : []),
  ]
}
