import { pluralize } from '../reports/report.ts'
import type { ReportedRun } from '../reports/reported-run.ts'
import { describeLeftOut, type LeftOut } from './left-out.ts'
import type { SuiteGate } from './parse-suite-fail-on.ts'
import type { PlannedRun } from './plan.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { findingOf, type SuiteVerdict } from './verdict.ts'

/** A run that was made, or that cannot reach its fault. */
export interface JudgedRun {
  readonly run: PlannedRun
  readonly verdict: SuiteVerdict
  /** True: a request met the fault. A command that hangs may do so before. */
  readonly wasMet: boolean
  /** The exit code of the command; undefined where the command was not run. */
  readonly code: number | undefined
  /** The duration of the command, milliseconds. */
  readonly ms: number
  /** The findings on the client that the run without faults does not have: `manners: createEvent: retry-after: ...`. */
  readonly client: readonly string[]
  /** A sentence for each condition of `--fail-on` that the requests of this run meet. */
  readonly failed: readonly string[]
  /** The last lines of the command's output. */
  readonly lastLines: readonly string[]
  /** The last requests in the order of their receipt, at most 200: `POST /v1/events 503 unavailable`. */
  readonly requests: readonly string[]
}

/** The end of the runs before all were made. */
export type EarlyEnd = 'max-runs' | 'time' | 'interrupt'

/** The outcome of all runs of a suite. */
export interface SuiteReport {
  readonly contract: { readonly title: string; readonly version: string }
  readonly run: ReportedRun
  /** The number of requests of the run without faults, by operation; those that match none are under an empty name. */
  readonly plainCounts: Readonly<Record<string, number>>
  /** The time limit of a run, milliseconds. */
  readonly limitMs: number
  /** The judged runs in the order of the plan. */
  readonly runs: readonly JudgedRun[]
  /** The number of runs that were planned and not made. */
  readonly notMade: number
  readonly earlyEnd: EarlyEnd | undefined
  /** See `SuitePlan`. */
  readonly equivalent: number
  readonly leftOut: readonly LeftOut[]
  /** The differences between the runs without faults before and after all others. Empty: none, or there was no such run at the end. */
  readonly changes: readonly string[]
  /** Returns the command line that repeats a run, by its name. */
  readonly repeat: (name: string) => string
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly SuiteGate[]
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
  /** A sentence for each that the run without faults meets. */
  readonly plainFailed: readonly string[]
}

/** The verdicts on the runs of a set or family. */
export interface GroupSummary {
  readonly group: string
  readonly counts: Readonly<Record<SuiteVerdict, number>>
  /** The share of good verdicts among the runs that met their fault, percent with one decimal; undefined where none did. */
  readonly percent: number | undefined
  /** The number of runs with a good verdict, and with findings on the client. */
  readonly withClientFindings: number
}

/** Summarizes the runs of each set or family, in the order of the plan. */
export function summarizeGroups(runs: readonly JudgedRun[]): GroupSummary[] {
  const groups = [...new Set(runs.map(({ run }) => run.fault.group))]
  return groups.map((group) => {
    const own = runs.filter(({ run }) => run.fault.group === group)
    const counts = countVerdicts(own)
    const met = own.length - counts['not-reached']
    const good = counts.recovered + counts.noticed
    return {
      group,
      counts,
      percent: met === 0 ? undefined : toPercent(good, met),
      withClientFindings: own.filter(hasOnlyClientFindings).length,
    }
  })
}

/** Returns true for a run with findings on the client alone. */
export function hasOnlyClientFindings({ verdict, client }: JudgedRun): boolean {
  return client.length > 0 && (verdict === 'recovered' || verdict === 'noticed')
}

/** Counts the verdicts on runs. */
export function countVerdicts(runs: readonly JudgedRun[]): Record<SuiteVerdict, number> {
  const counts = { recovered: 0, noticed: 0, 'not-noticed': 0, broke: 0, hung: 0, 'not-reached': 0 }
  for (const { verdict } of runs) counts[verdict] += 1
  return counts
}

/** Returns a share in percent, rounded to one decimal. */
export function toPercent(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10
}

/** Writes a verdict for people: `not noticed`. */
export function formatVerdict(verdict: SuiteVerdict): string {
  return verdict.replace('-', ' ')
}

/** Returns true for a verdict that is a finding. */
export function isBad(verdict: SuiteVerdict): boolean {
  return findingOf(verdict) !== undefined
}

/** The reasons of an early end, for people. */
const earlyEnds: Readonly<Record<EarlyEnd, string>> = {
  'max-runs': '--max-runs',
  time: '--time',
  interrupt: 'interrupted',
}

/** Counts requests by operation, in the order of the names; see `SuiteReport.plainCounts`. */
export function countByOperation(requests: readonly RecordedRequest[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { operation } of requests) {
    const name = operation?.id ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Describes the requests of the run without faults: `Without faults the command asks createEvent once, getModelAnalytics 2 times.` */
export function describePlainRun({ plainCounts }: Pick<SuiteReport, 'plainCounts'>): string {
  const asked = Object.entries(plainCounts)
    .filter(([name]) => name !== '')
    .map(([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`)
  const { '': others = 0 } = plainCounts
  const parts = [
    ...(asked.length > 0 ? [`asks ${asked.join(', ')}`] : []),
    ...(others > 0
      ? [`sends ${pluralize(others, 'request')} that ${others === 1 ? 'fits' : 'fit'} no operation`]
      : []),
  ]
  return `Without faults the command ${parts.join(', and ')}.`
}

/** Says why the runs say nothing: none was made, or none met its fault. Undefined: they do. */
export function describeNothing({
  runs,
  earlyEnd,
}: Pick<SuiteReport, 'runs' | 'earlyEnd'>): string | undefined {
  if (runs.some(({ verdict }) => verdict !== 'not-reached')) return undefined
  if (runs.some(({ code }) => code !== undefined)) return 'No fault was tried: no run met its fault.'
  if (earlyEnd === 'time')
    return 'No fault was tried: the time was up before the first run with a fault ended.'
  if (earlyEnd === 'interrupt') return 'No fault was tried: the first run with a fault was interrupted.'
  return runs.length > 0
    ? 'No fault was tried: no answer has the fields that would drift.'
    : 'No fault was tried: none fits an operation that the command asks.'
}

/** The last lines of the summary: the caveats on it. */
export function describeCaveats({ leftOut, changes }: Pick<SuiteReport, 'leftOut' | 'changes'>): string[] {
  const unreliable =
    'The verdicts are not reliable, since the command differs without faults, too. Before and after all other runs: '
  return [...describeLeftOut(leftOut), ...(changes.length > 0 ? [`${unreliable}${changes.join('; ')}.`] : [])]
}

/** Summarizes the runs in one sentence: `12 runs, 3 on like requests left out, 4 not made (--time).` */
export function summarizeRuns({ runs, equivalent, notMade, earlyEnd }: SuiteReport): string {
  const made = runs.filter(({ code }) => code !== undefined).length
  return `${[
    `${made} ${made === 1 ? 'run' : 'runs'}`,
    ...(equivalent > 0 ? [`${equivalent} on like requests left out`] : []),
    ...(notMade > 0 ? [`${notMade} not made${earlyEnd ? ` (${earlyEnds[earlyEnd]})` : ''}`] : []),
  ].join(', ')}.`
}

/** Describes the verdicts on a set in one sentence: `resilience: 5 of 6 good (83.3 %): 5 recovered, 1 broke.` */
export function describeGroup({ group, counts, percent, withClientFindings }: GroupSummary): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  const all = parts.map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`).join(', ')
  const met = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts['not-reached']
  const good = counts.recovered + counts.noticed
  const share = percent === undefined ? 'no fault was met' : `${good} of ${met} good (${percent} %)`
  const client =
    withClientFindings > 0
      ? `; in ${withClientFindings} of the ${good} good the client broke a rule, such as one of manners`
      : ''
  return `${group}: ${share}: ${all}${client}.`
}
