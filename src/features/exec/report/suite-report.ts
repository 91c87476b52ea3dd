import { groupBy } from '../../../base/core/group-by.ts'
import { pluralize, type Report } from '../../../server/reports/report.ts'
import type { SuitePlan } from '../plan/plan.ts'
import type { Baseline } from '../runs/baseline.ts'
import type { SuiteGate } from '../settings.ts'
import { findingOf, isConclusive, isGood, type JudgedRun, type SuiteVerdict, toPercent, verdicts } from './judge-run.ts'

export interface SuiteReport
  extends Pick<Report, 'contract' | 'run'>,
    Pick<SuitePlan, 'equivalent' | 'leftOut'>,
    Pick<Baseline, 'limitMs'> {
  /** The number of requests of the baseline run by operation; those that match none are under an empty name. */
  readonly baselineCounts: Readonly<Record<string, number>>
  /** The judged runs in the order of the plan. */
  readonly runs: readonly JudgedRun[]
  /** The number of runs that were planned and not made. */
  readonly notMade: number
  /** The reason why not all runs were made, if any. */
  readonly earlyEnd: keyof typeof earlyEnds | undefined
  /** The differences of later baseline runs from the first: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** Returns the command line that repeats a run, by its name. */
  readonly repeat: (name: string) => string
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly SuiteGate[]
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
  /** A sentence for each condition that the baseline run meets. */
  readonly baselineFailed: readonly string[]
}

/** The reasons of an early end, for people. */
const earlyEnds = {
  'max-runs': '--max-runs',
  time: '--time',
  interrupt: 'interrupted',
  'red-baseline-run': 'the command failed without faults',
} as const

/** Counts runs, and gives the share of good verdicts in percent; undefined without a conclusive one. */
export function countRuns(runs: readonly JudgedRun[]) {
  const count = (isCounted: (judged: JudgedRun) => boolean) => runs.filter(isCounted).length
  const byVerdict = verdicts.map((name) => [name, count(({ verdict }) => verdict === name)])
  const good = count(({ verdict }) => isGood(verdict))
  const conclusive = count(({ verdict }) => isConclusive(verdict))
  return {
    counts: Object.fromEntries(byVerdict) as Record<SuiteVerdict, number>,
    good,
    conclusive,
    percent: conclusive === 0 ? undefined : toPercent(good, conclusive),
    made: count(({ made }) => made > 0),
    repeated: count(({ made }) => made > 1),
    /** The runs with findings on the client alone. */
    clientFindings: count(({ verdict, client }) => client.length > 0 && isGood(verdict)),
  }
}

/** Counts the runs of each set or family, in the order of the plan. */
export function countGroups(runs: readonly JudgedRun[]) {
  return [...groupBy(runs, ({ run }) => run.fault.group)].map(([group, own]) => ({ group, ...countRuns(own) }))
}

/** Formats a verdict for people: `not reached`. */
export function formatVerdict(verdict: SuiteVerdict): string {
  return verdict === 'never-succeeded' ? swallowed : verdict.replace('-', ' ')
}

/** The words for a green run without a good response to the call with the fault. */
export const swallowed = 'green, but the call never succeeded'

/** Describes the requests of the baseline run: `Without faults the command asks createEvent once.` */
export function describeBaselineRun({ baselineCounts }: SuiteReport): string {
  const { '': others = 0, ...byOperation } = baselineCounts
  const asked = Object.entries(byOperation).map(([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`)
  const parts = [
    ...(asked.length > 0 ? [`asks ${asked.join(', ')}`] : []),
    ...(others > 0 ? [`sends ${pluralize(others, 'request')} that ${others === 1 ? 'fits' : 'fit'} no operation`] : []),
  ]
  return `Without faults the command ${parts.join(', and ')}.`
}

/** Says why the runs are inconclusive (none was made, none got its fault, all were unsteady), or returns undefined. */
export function describeNothing({ runs, earlyEnd }: SuiteReport): string | undefined {
  const { conclusive, counts, made } = countRuns(runs)
  if (conclusive > 0) return undefined
  if (earlyEnd === 'red-baseline-run') return 'No fault has a verdict: the command fails without faults, too.'
  if (counts.unsteady > 0) return 'No fault has a verdict: two runs under each disagree.'
  if (made > 0) return 'No fault was tried: no run met its fault.'
  if (earlyEnd === 'time') return 'No fault was tried: the time was up before the first run with a fault ended.'
  if (earlyEnd === 'interrupt') return 'No fault was tried: the first run with a fault was interrupted.'
  return runs.length > 0
    ? 'No fault was tried: no response has the fields that would drift.'
    : 'No fault was tried: none fits an operation that the command asks.'
}

/** Says why some runs are inconclusive, since the command failed without faults, or all; undefined if none is. */
export function describeProblem(report: SuiteReport): string | undefined {
  const isRed = report.earlyEnd === 'red-baseline-run'
  const redBaseline = 'The command fails without faults, too. The red runs since it last passed are left out.'
  return describeNothing(report) ?? (isRed ? redBaseline : undefined)
}

/** Summarizes the runs in one sentence: `12 runs, 3 on like requests left out, 4 not made (--time).` */
export function summarizeRuns({ runs, equivalent, notMade, earlyEnd }: SuiteReport): string {
  const { made, repeated } = countRuns(runs)
  return `${[
    pluralize(made, 'run'),
    ...describeRepeated(repeated),
    ...(equivalent > 0 ? [`${equivalent} on like requests left out`] : []),
    ...(notMade > 0 ? [`${notMade} not made${earlyEnd ? ` (${earlyEnds[earlyEnd]})` : ''}`] : []),
  ].join(', ')}.`
}

const describeRepeated = (repeated: number) => (repeated > 0 ? [`${repeated} of them made twice`] : [])

/** Describes the verdicts on a set in one sentence: `resilience: 5 of 6 good (83.3 %): 5 recovered, 1 broke.` */
export function describeGroup(counted: ReturnType<typeof countGroups>[number]): string {
  const { group, counts, good, conclusive, percent, clientFindings } = counted
  const list = verdicts.flatMap((verdict) => {
    const words = formatVerdict(verdict)
    return counts[verdict] > 0 ? `${counts[verdict]} ${words.includes(',') ? `"${words}"` : words}` : []
  })
  const without = counts.unsteady > 0 ? 'no fault has a verdict' : 'no fault was met'
  const share = percent === undefined ? without : `${good} of ${conclusive} good (${percent} %)`
  const lapses = `; in ${clientFindings} of the ${good} good the client broke a rule, such as one of retries`
  return `${group}: ${share}: ${list.join(', ')}${clientFindings > 0 ? lapses : ''}.`
}

/**
 * Describes the progress of the runs: `run 3 of 10, 1 of them made twice, 1 finding, 16 s left`. Gets the milliseconds
 * since the first run, and until the end of `--time`.
 */
export function describeProgress(
  runs: readonly JudgedRun[],
  total: number,
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
): string {
  const ended = runs.length
  const findings = runs.filter(({ verdict }) => findingOf(verdict)).length
  const leftMs = Math.min((sinceMs / ended) * (total - ended), untilMs)
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  const left = seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`
  return [
    `run ${Math.min(ended + 1, total)} of ${total}`,
    ...describeRepeated(countRuns(runs).repeated),
    pluralize(findings, 'finding'),
    ...(ended > 0 ? [left] : []),
  ].join(', ')
}
