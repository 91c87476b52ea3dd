import { groupBy } from '../../../base/core/group-by.ts'
import { pluralize } from '../../../server/reports/report.ts'
import type { ReportedRun } from '../../../server/reports/reported-run.ts'
import type { SuiteGate } from '../parse-suite-fail-on.ts'
import { describeSkipped, type PlannedRun, type SkippedRequests } from '../plan/plan.ts'
import type { RecordedRequest } from '../plan/recorded-request.ts'
import type { ResponseCounts } from './good-responses.ts'
import { type CommandEnd, isConclusive, isGood, type SuiteVerdict, verdicts } from './verdict.ts'

/**
 * A run that was made, or that cannot reach its fault. The command runs twice if the first run needs a second one; the
 * end is then that of a red one.
 */
export interface JudgedRun extends CommandEnd {
  readonly run: PlannedRun
  readonly verdict: SuiteVerdict
  /** The number of times that the command ran, 0 to 2. */
  readonly made: number
  /** The good responses to the faulted call; undefined: no request got the fault, as in a run that hangs before. */
  readonly responses: ResponseCounts | undefined
  /** The duration of the command, of two runs the sum, milliseconds. */
  readonly ms: number
  /** The findings on the client that the run without faults does not have: `retry: createEvent: retry-after: ...`. */
  readonly client: readonly string[]
  /** A sentence for each condition of `--fail-on` that the requests of this run meet. */
  readonly failed: readonly string[]
  readonly lastLines: readonly string[]
  /** The last requests in the order of their receipt, at most 200: `POST /v1/events 503 unavailable`. */
  readonly requests: readonly string[]
}

/** The end of the runs before all were made. */
type EarlyEnd = 'max-runs' | 'time' | 'interrupt' | 'red-baseline-run'

export interface SuiteReport {
  readonly contract: { readonly title: string; readonly version: string }
  readonly run: ReportedRun
  /** The number of requests of the run without faults, by operation; those that match none are under an empty name. */
  readonly baselineCounts: Readonly<Record<string, number>>
  /** The time limit of a run, milliseconds. */
  readonly limitMs: number
  /** The judged runs in the order of the plan. */
  readonly runs: readonly JudgedRun[]
  /** The number of runs that were planned and not made. */
  readonly notMade: number
  readonly earlyEnd: EarlyEnd | undefined
  /** See `SuitePlan`. */
  readonly equivalent: number
  readonly leftOut: readonly SkippedRequests[]
  /** The differences of later runs without faults from the first: `after 20 runs it failed with exit code 6`. */
  readonly changes: readonly string[]
  /** Returns the command line that repeats a run, by its name. */
  readonly repeat: (name: string) => string
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly SuiteGate[]
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
  /** A sentence for each that the run without faults meets. */
  readonly baselineFailed: readonly string[]
}

/** The verdicts on the runs of a set or family. */
interface GroupSummary {
  readonly group: string
  readonly counts: Readonly<Record<SuiteVerdict, number>>
  /** The number of good verdicts, and of all that answer the question of the fault. */
  readonly good: number
  readonly conclusive: number
  /** The share of the good ones, percent; undefined without any verdict. */
  readonly percent: number | undefined
  /** The number of runs with a good verdict, and with findings on the client. */
  readonly withClientFindings: number
}

/** Summarizes the runs of each set or family, in the order of the plan. */
export function summarizeGroups(runs: readonly JudgedRun[]): GroupSummary[] {
  return [...groupBy(runs, ({ run }) => run.fault.group)].map(([group, own]) => {
    const good = own.filter(({ verdict }) => isGood(verdict)).length
    const conclusive = own.filter(({ verdict }) => isConclusive(verdict)).length
    const percent = conclusive === 0 ? undefined : toPercent(good, conclusive)
    const withClientFindings = own.filter(hasOnlyClientFindings).length
    return { group, counts: countVerdicts(own), good, conclusive, percent, withClientFindings }
  })
}

/** Returns true for a run with findings on the client alone. */
export function hasOnlyClientFindings({ verdict, client }: JudgedRun): boolean {
  return client.length > 0 && isGood(verdict)
}

export function countVerdicts(runs: readonly JudgedRun[]): Record<SuiteVerdict, number> {
  const counts = Object.fromEntries(verdicts.map((name) => [name, 0])) as Record<SuiteVerdict, number>
  for (const { verdict } of runs) counts[verdict] += 1
  return counts
}

/** Returns a share in percent, rounded to one decimal. */
export function toPercent(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10
}

/** Writes a verdict for people: `not reached`. */
export function formatVerdict(verdict: SuiteVerdict): string {
  return verdict === 'never-succeeded' ? swallowed : verdict.replace('-', ' ')
}

/** The words for a green run in which the faulted call got no good response. */
export const swallowed = 'green, but the call never succeeded'

/** The reasons of an early end, for people. */
const earlyEnds: Readonly<Record<EarlyEnd, string>> = {
  'max-runs': '--max-runs',
  time: '--time',
  interrupt: 'interrupted',
  'red-baseline-run': 'the command failed without faults',
}

/** Counts requests by operation, in the order of the names; see `SuiteReport.baselineCounts`. */
export function countByOperation(requests: readonly RecordedRequest[]): Record<string, number> {
  const groups = groupBy(requests, ({ operation }) => operation?.id ?? '')
  return Object.fromEntries([...groups.keys()].sort().map((id) => [id, groups.get(id)?.length ?? 0]))
}

/** Describes the requests of the run without faults: `Without faults the command asks createEvent once.` */
export function describeBaselineRun({ baselineCounts }: Pick<SuiteReport, 'baselineCounts'>): string {
  const asked = Object.entries(baselineCounts)
    .filter(([name]) => name !== '')
    .map(([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`)
  const { '': others = 0 } = baselineCounts
  const parts = [
    ...(asked.length > 0 ? [`asks ${asked.join(', ')}`] : []),
    ...(others > 0 ? [`sends ${pluralize(others, 'request')} that ${others === 1 ? 'fits' : 'fit'} no operation`] : []),
  ]
  return `Without faults the command ${parts.join(', and ')}.`
}

/** Says why the runs say nothing (none was made, none met its fault, all were unsteady), or returns undefined. */
export function describeNothing({ runs, earlyEnd }: Pick<SuiteReport, 'runs' | 'earlyEnd'>): string | undefined {
  if (runs.some(({ verdict }) => isConclusive(verdict))) return undefined
  if (earlyEnd === 'red-baseline-run') return 'No fault has a verdict: the command fails without faults, too.'
  if (runs.some(({ verdict }) => verdict === 'unsteady')) return 'No fault has a verdict: two runs under each disagree.'
  if (runs.some(({ made }) => made > 0)) return 'No fault was tried: no run met its fault.'
  if (earlyEnd === 'time') return 'No fault was tried: the time was up before the first run with a fault ended.'
  if (earlyEnd === 'interrupt') return 'No fault was tried: the first run with a fault was interrupted.'
  return runs.length > 0
    ? 'No fault was tried: no response has the fields that would drift.'
    : 'No fault was tried: none fits an operation that the command asks.'
}

/** Says why the runs say nothing, or not all: the command failed without faults, too. Returns undefined if they do. */
export function describeProblem(report: Pick<SuiteReport, 'runs' | 'earlyEnd'>): string | undefined {
  const isRed = report.earlyEnd === 'red-baseline-run'
  const redBaselineRun = 'The command fails without faults, too. The red runs since it last passed are left out.'
  return describeNothing(report) ?? (isRed ? redBaselineRun : undefined)
}

/** The last lines of the summary: the caveats on it. */
export function describeCaveats(report: SuiteReport): string[] {
  const { runs, leftOut, changes } = report
  const redBaselineRun = describeNothing(report) ? undefined : describeProblem(report)
  const unsteady = runs.filter(({ verdict }) => verdict === 'unsteady').length
  const share = `${unsteady} of ${pluralize(runs.length, 'run')} ${unsteady === 1 ? 'is' : 'are'} unsteady`
  const differs = 'The verdicts are not reliable, since the command differs without faults, too'
  return [
    ...describeSkipped(leftOut),
    ...(unsteady > 0
      ? [`${share}, since two runs disagree, so not in the shares: the suite may differ by itself.`]
      : []),
    ...(redBaselineRun ? [redBaselineRun] : []),
    ...(changes.length > 0 ? [`${differs}: ${changes.join('; ')}.`] : []),
  ]
}

/** Summarizes the runs in one sentence: `12 runs, 3 on like requests left out, 4 not made (--time).` */
export function summarizeRuns({ runs, equivalent, notMade, earlyEnd }: SuiteReport): string {
  const made = runs.filter((one) => one.made > 0).length
  const twice = countRepeated(runs)
  return `${[
    `${made} ${made === 1 ? 'run' : 'runs'}`,
    ...(twice > 0 ? [`${twice} of them made twice`] : []),
    ...(equivalent > 0 ? [`${equivalent} on like requests left out`] : []),
    ...(notMade > 0 ? [`${notMade} not made${earlyEnd ? ` (${earlyEnds[earlyEnd]})` : ''}`] : []),
  ].join(', ')}.`
}

/** Counts the runs that were made twice. */
export function countRepeated(runs: readonly Pick<JudgedRun, 'made'>[]): number {
  return runs.filter(({ made }) => made > 1).length
}

/** Describes the verdicts on a set in one sentence: `resilience: 5 of 6 good (83.3 %): 5 recovered, 1 broke.` */
export function describeGroup({ group, counts, good, conclusive, percent, withClientFindings }: GroupSummary): string {
  const parts = verdicts.filter((verdict) => counts[verdict] > 0)
  const list = parts.map((verdict) => `${counts[verdict]} ${quoteVerdict(verdict)}`).join(', ')
  const without = counts.unsteady > 0 ? 'no fault has a verdict' : 'no fault was met'
  const share = percent === undefined ? without : `${good} of ${conclusive} good (${percent} %)`
  const client =
    withClientFindings > 0
      ? `; in ${withClientFindings} of the ${good} good the client broke a rule, such as one of retries`
      : ''
  return `${group}: ${share}: ${list}${client}.`
}

/** Writes a verdict in a list; one that has a comma itself stands in quotes. */
function quoteVerdict(verdict: SuiteVerdict): string {
  const words = formatVerdict(verdict)
  return words.includes(',') ? `"${words}"` : words
}

/** The number of fields that a sentence names. */
const maxNamed = 12

/**
 * Describes the fields that drifted, by operation, in one sentence for each way in which the tests take their drift, in
 * the order of the plan. A sentence names the drifts that were tried, since it says nothing about others.
 */
export function describeFields(runs: readonly JudgedRun[]): string[] {
  const drifted = runs.filter(
    ({ run, verdict }) => run.pointer !== undefined && run.fault.question === 'notice' && isConclusive(verdict),
  )
  return [...groupBy(drifted, ({ run }) => run.operation)].flatMap(([operation, own]) => {
    const fields = [...groupBy(own, ({ run }) => run.pointer)].map(([pointer, tried]) =>
      describeTriedField(pointer, tried),
    )
    return [...groupBy(fields, ({ words }) => words)].map(([words, alike]) => {
      const more = alike.length > maxNamed ? ` and ${alike.length - maxNamed} more` : ''
      const list = alike.slice(0, maxNamed).map(({ name }) => name)
      return `${operation} has ${pluralize(alike.length, 'field')} ${words}: ${list.join(', ')}${more}.`
    })
  })
}

/** Describes the way in which the tests take the drift of a field, and names the field. */
function describeTriedField(pointer: string | undefined, tried: readonly JudgedRun[]) {
  const listNames = (some: readonly JudgedRun[]) => some.map(({ run }) => run.fault.scenario.definition.name).join(', ')
  const unnoticed = tried.filter(({ verdict }) => verdict === 'unnoticed')
  if (unnoticed.length > 0 && unnoticed.length < tried.length)
    return { words: 'of which no test notices the drift in brackets', name: `${pointer} (${listNames(unnoticed)})` }
  const taking = unnoticed.length === 0 ? 'some test notices every' : 'no test notices any'
  return { words: `of which ${taking} drift that was tried (${listNames(tried)})`, name: pointer }
}
