import type { ReportedRun } from '../reports/reported-run.ts'
import type { SuiteGate } from './parse-suite-fail-on.ts'
import { nameRun, type PlannedRun } from './plan.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { SuiteVerdict } from './verdict.ts'

/** A run that was made, or that cannot reach its fault. */
export interface JudgedRun {
  readonly run: PlannedRun
  readonly verdict: SuiteVerdict
  /** The exit code of the command; undefined where the command was not run. */
  readonly code: number | undefined
  /** The findings on the client that the run without faults does not have: `manners: createEvent: retry-after: ...`. */
  readonly client: readonly string[]
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
  /** The number of runs that were left out, since an equal request meets the same fault. */
  readonly equivalent: number
  /** Returns the command line that repeats a run, by its name. */
  readonly repeat: (name: string) => string
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly SuiteGate[]
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
}

/** The verdicts on the runs of a set or family. */
export interface GroupSummary {
  readonly group: string
  readonly counts: Readonly<Record<SuiteVerdict, number>>
  /** The share of good verdicts among the runs that met their fault, percent with one decimal; undefined where none did. */
  readonly percent: number | undefined
}

/** Summarizes the runs of each set or family, in the order of the plan. */
export function summarizeGroups(runs: readonly JudgedRun[]): GroupSummary[] {
  const groups = [...new Set(runs.map(({ run }) => run.fault.group))]
  return groups.map((group) => {
    const own = runs.filter(({ run }) => run.fault.group === group)
    const counts = countVerdicts(own)
    const met = own.length - counts['not-reached']
    const good = counts.recovered + counts.noticed
    return { group, counts, percent: met === 0 ? undefined : toPercent(good, met) }
  })
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

/** The kinds of findings. `client`: the client broke a rule while it met the fault. `unrepeatable`: the command failed without it. */
export type SuiteFindingKind = 'not-resilient' | 'unnoticed' | 'hung' | 'client' | 'unrepeatable'

/** A run that needs a look, in words. */
export interface SuiteFinding {
  /** The name of the run: `resilience:reset@createEvent#2`. */
  readonly name: string
  readonly kind: SuiteFindingKind
  readonly sentence: string
  /** The command line that repeats the run. */
  readonly repeat: string
  readonly client: readonly string[]
  readonly lastLines: readonly string[]
  readonly requests: readonly string[]
}

/** Lists the findings in the order of the plan. */
export function listFindings({ runs, repeat, limitMs }: SuiteReport): SuiteFinding[] {
  return runs.flatMap((judged) => {
    const kind = kindOf(judged)
    if (!kind) return []
    const { client, lastLines, requests } = judged
    const name = nameRun(judged.run)
    const sentence = describeFinding(kind, judged, limitMs)
    return [{ name, kind, sentence, repeat: repeat(name), client, lastLines, requests }]
  })
}

function kindOf({ verdict, code, client }: JudgedRun): SuiteFindingKind | undefined {
  if (verdict === 'broke') return 'not-resilient'
  if (verdict === 'not-noticed') return 'unnoticed'
  if (verdict === 'hung') return 'hung'
  if (verdict === 'not-reached' && code !== undefined && code !== 0) return 'unrepeatable'
  return client.length > 0 ? 'client' : undefined
}

function describeFinding(kind: SuiteFindingKind, { run, code }: JudgedRun, limitMs: number): string {
  const { definition } = run.fault.scenario
  const { text } = run.fault.scenario
  const fault = `"${text}" struck ${describePlace(run)}`
  switch (kind) {
    case 'not-resilient':
      return `Not resilient: the command failed with exit code ${code} when ${fault}. ${definition.description}`
    case 'unnoticed':
      return `Nobody noticed: the command passed although ${fault}. ${definition.description}`
    case 'hung':
      return `Hung: the command did not end within ${limitMs / 1000} s after ${fault}. ${definition.description}`
    case 'unrepeatable':
      return `Not repeatable: the command failed with exit code ${code} before "${text}" could strike ${describePlace(run)}.`
    case 'client':
      return `The client broke a rule when ${fault}. ${definition.description}`
  }
}

/** Describes the place of a fault: `request 2 of createEvent`, `/avgSafetyScore in the answers of getModelAnalytics`. */
function describePlace({ operation, occurrence, pointer }: PlannedRun): string {
  return pointer === undefined
    ? `request ${occurrence} of ${operation}`
    : `${pointer} in the answers of ${operation}`
}

/** Writes a verdict for people: `not noticed`. */
export function formatVerdict(verdict: SuiteVerdict): string {
  return verdict.replace('-', ' ')
}

/** Returns true for a verdict that is a finding. */
export function isBad(verdict: SuiteVerdict): boolean {
  return verdict === 'broke' || verdict === 'not-noticed' || verdict === 'hung'
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
  const parts = Object.entries(plainCounts).map(
    ([name, count]) => `${name || 'no operation'} ${count === 1 ? 'once' : `${count} times`}`,
  )
  return `Without faults the command asks ${parts.join(', ')}.`
}

/** Summarizes the runs in one sentence: `12 runs, 3 equivalent ones left out, 4 not made (--time).` */
export function summarizeRuns({ runs, equivalent, notMade, earlyEnd }: SuiteReport): string {
  const made = runs.filter(({ code }) => code !== undefined).length
  return `${[
    `${made} ${made === 1 ? 'run' : 'runs'}`,
    ...(equivalent > 0 ? [`${equivalent} equivalent left out`] : []),
    ...(notMade > 0 ? [`${notMade} not made${earlyEnd ? ` (${earlyEnds[earlyEnd]})` : ''}`] : []),
  ].join(', ')}.`
}

/** Describes the verdicts on a set in one sentence: `resilience: 5 of 6 good (83.3 %): 5 recovered, 1 broke.` */
export function describeGroup({ group, counts, percent }: GroupSummary): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  const all = parts.map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`).join(', ')
  const met = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts['not-reached']
  const share =
    percent === undefined
      ? 'no fault was met'
      : `${counts.recovered + counts.noticed} of ${met} good (${percent} %)`
  return `${group}: ${share}: ${all}.`
}
