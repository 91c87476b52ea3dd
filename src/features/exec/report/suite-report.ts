import { groupBy } from '../../../base/core/group-by.ts'
import { joinWords } from '../../../base/core/text.ts'
import { pluralize } from '../../../server/reports/report.ts'
import type { SkippedRequests, SuitePlan } from '../plan/plan.ts'
import type { Baseline } from '../runs/baseline.ts'
import type { TestSuite } from '../runs/execute-run.ts'
import type { EachLine } from '../settings.ts'
import { findingOf, isConclusive, isGood, type JudgedRun, type SuiteVerdict, toPercent, verdicts } from './judge-run.ts'

export interface SuiteReport {
  readonly suite: Pick<EachLine, 'settings' | 'args'> & Pick<TestSuite, 'failOn'>
  readonly baseline: Baseline
  readonly plan: Pick<SuitePlan, 'skippedRuns' | 'skippedRequests'>
  readonly runs: readonly JudgedRun[]
  readonly notMade: number
  readonly earlyEnd: keyof typeof earlyEnds | undefined
  /** How runs without faults failed or differed from the first: `at the end, the command failed with exit code 6`. */
  readonly changes: readonly string[]
  /** A sentence for each `--fail-on` condition that is met. */
  readonly failed: readonly string[]
}

const earlyEnds = {
  'max-runs': '--max-runs',
  time: '--time',
  interrupt: 'interrupted',
  'red-baseline-run': 'the command failed without faults',
} as const

/** Counts runs by verdict. `percent`: good runs as a percentage of conclusive runs; undefined if none is conclusive. */
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
    made: count(({ attemptCount }) => attemptCount > 0),
    repeated: count(({ attemptCount }) => attemptCount > 1),
    clientFindings: count(({ verdict, client }) => client.length > 0 && isGood(verdict)),
  }
}

export function countGroups(runs: readonly JudgedRun[]) {
  return [...groupBy(runs, ({ run }) => run.fault.group)].map(([group, own]) => ({ group, ...countRuns(own) }))
}

export function formatVerdict(verdict: SuiteVerdict): string {
  return verdict === 'swallowed' ? swallowedText : verdict.replace('-', ' ')
}

export const swallowedText = 'green, but the failure was swallowed'

/** Explains why no run is conclusive: `No verdict: the runs are flaky.` Returns undefined if any run is conclusive. */
export function explainNoVerdict({ runs, earlyEnd }: SuiteReport): string | undefined {
  const { conclusive, counts, made } = countRuns(runs)
  if (conclusive > 0) return undefined
  if (earlyEnd === 'red-baseline-run') return 'No verdict: the command fails without faults, too.'
  if (counts.flaky > 0) return 'No verdict: the runs are flaky.'
  if (made > 0) return 'No fault was tested: none was injected.'
  if (earlyEnd === 'time') return 'No fault was tested: time ran out before any run with a fault was complete.'
  if (earlyEnd === 'interrupt') return 'No fault was tested: the suite was interrupted before the first verdict.'
  return runs.length > 0
    ? 'No fault was tested: no response has a field that can drift.'
    : 'No fault was tested: none applies to an operation that the command calls.'
}

/** Returns the problem that makes runs inconclusive, such as a red baseline run; undefined if there is none. */
export function describeProblem(report: SuiteReport): string | undefined {
  const isRed = report.earlyEnd === 'red-baseline-run'
  const redBaseline = 'The command fails without faults, too. Red runs since the last green baseline run are excluded.'
  return explainNoVerdict(report) ?? (isRed ? redBaseline : undefined)
}

export function describeSummary(report: SuiteReport): string[] {
  return [describeBaselineRun(report), summarizeRuns(report)]
}

/** Describes the requests in the baseline run: `Without faults, the command calls createEvent once.` */
function describeBaselineRun({ baseline }: SuiteReport): string {
  const { '': others = 0, ...byOperation } = countRequests(baseline)
  const calls = Object.entries(byOperation).map(([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`)
  const parts = [
    ...(calls.length > 0 ? [`calls ${joinWords(calls)}`] : []),
    ...(others > 0 ? [`sends ${pluralize(others, 'request')} with no matching operation in the contract`] : []),
  ]
  return `Without faults, the command ${parts.join(', and ')}.`
}

export function countRequests({ requests }: Baseline): Readonly<Record<string, number>> {
  const ids = requests.map(({ operation }) => operation?.id ?? '').sort()
  return Object.fromEntries([...groupBy(ids, (id) => id)].map(([id, own]) => [id, own.length]))
}

function summarizeRuns({ runs, plan: { skippedRuns }, notMade, earlyEnd }: SuiteReport): string {
  const { made, repeated } = countRuns(runs)
  return `${[
    pluralize(made, 'run'),
    ...describeRepeated(repeated),
    ...(skippedRuns > 0 ? [`${skippedRuns} skipped (similar requests)`] : []),
    ...(notMade > 0 ? [`${notMade} not run${earlyEnd ? ` (${earlyEnds[earlyEnd]})` : ''}`] : []),
  ].join(', ')}.`
}

const describeRepeated = (repeated: number) => (repeated > 0 ? [`${repeated} repeated`] : [])

export function describeVerdicts(report: SuiteReport): string[] {
  const { runs } = report
  return [...describeFields(runs), ...countGroups(runs).map(describeGroup), ...describeCaveats(report)]
}

const maxNamedFields = 12

/**
 * Describes the fields that drifted, by operation and in the order of the plan. Fields share a sentence if the same
 * drifts were applied to them with the same result, or if tests noticed some, but not all, drifts of each field.
 */
function describeFields(runs: readonly JudgedRun[]): string[] {
  const drifted = runs.filter(
    ({ run, verdict }) => run.pointer !== undefined && run.fault.expectedReaction === 'notice' && isConclusive(verdict),
  )
  return [...groupBy(drifted, ({ run }) => run.operation)].flatMap(([operation, own]) => {
    const fields = [...groupBy(own, ({ run }) => run.pointer)].map(([pointer, all]) => describeField(pointer, all))
    return [...groupBy(fields, ({ result }) => result)].map(([result, similar]) => {
      const more = similar.length > maxNamedFields ? ` and ${similar.length - maxNamedFields} more` : ''
      const names = similar.slice(0, maxNamedFields).map(({ name }) => name)
      const words = result.replace('...', similar.length === 1 ? '1 field drifts' : `${similar.length} fields drift`)
      return `${operation}: ${words}: ${names.join(', ')}${more}.`
    })
  })
}

function describeField(pointer: string | undefined, runs: readonly JudgedRun[]) {
  const listNames = (some: readonly JudgedRun[]) => some.map(({ run }) => run.fault.scenario.definition.name).join(', ')
  const unnoticed = runs.filter(({ verdict }) => verdict === 'unnoticed')
  if (unnoticed.length > 0 && unnoticed.length < runs.length)
    return { result: 'no test notices when ... as listed', name: `${pointer} (${listNames(unnoticed)})` }
  const reaction = unnoticed.length === 0 ? 'a test notices' : 'no test notices'
  return { result: `${reaction} when ... (${listNames(runs)})`, name: pointer }
}

function describeGroup(counted: ReturnType<typeof countGroups>[number]): string {
  const { group, counts, good, conclusive, percent, clientFindings } = counted
  const list = verdicts.flatMap((verdict) => {
    const words = formatVerdict(verdict)
    return counts[verdict] > 0 ? `${counts[verdict]} ${words.includes(',') ? `"${words}"` : words}` : []
  })
  const reason = counts.flaky > 0 ? 'no verdict' : 'no fault was injected'
  const share = percent === undefined ? reason : `${good} of ${conclusive} good (${percent}%)`
  const brokenRules = `; in ${pluralize(clientFindings, 'good run')}, the client broke a rule, such as a retry rule`
  return `${group}: ${share}: ${list.join(', ')}${clientFindings > 0 ? brokenRules : ''}.`
}

function describeCaveats(report: SuiteReport): string[] {
  const { runs, plan, changes } = report
  const problem = explainNoVerdict(report) === undefined ? describeProblem(report) : undefined
  const { flaky } = countRuns(runs).counts
  const share = `${flaky} of ${pluralize(runs.length, 'run')} ${flaky === 1 ? 'is' : 'are'} flaky`
  const differs = 'The verdicts are not reliable, since runs without faults also differ'
  return [
    ...describeSkipped(plan.skippedRequests),
    ...(flaky > 0 ? [`${share} and excluded from the percentages.`] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(changes.length > 0 ? [`${differs}: ${changes.join('; ')}.`] : []),
  ]
}

/** Lists the skipped requests and explains how to inject a fault into one of them. */
export function describeSkipped(skipped: readonly SkippedRequests[]): string[] {
  const [first] = skipped
  if (!first) return []
  const parts = skipped.map(({ operation, occurrences: { length }, similarTo }) => {
    return `${pluralize(length, 'request')} to ${operation} (similar to requests ${similarTo.join(' and ')})`
  })
  return [
    `Skipped and excluded from the percentages: ${parts.join('; ')}. Similar requests differ only in values, ` +
      'but may come from different parts of the suite. To inject a fault into a skipped request, use ' +
      `--only FAULT@${first.operation}#${first.occurrences[0]}.`,
  ]
}

/** Describes the progress: `run 3 of 10, 1 repeated, 1 finding, 16 s left`. */
export function describeProgress(
  runs: readonly JudgedRun[],
  total: number,
  { elapsedMs, untilDeadlineMs }: { readonly elapsedMs: number; readonly untilDeadlineMs: number },
): string {
  const ended = runs.length
  const findings = runs.filter(({ verdict }) => findingOf(verdict)).length
  const leftMs = Math.min((elapsedMs / ended) * (total - ended), untilDeadlineMs)
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  const left = seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`
  return [
    `run ${Math.min(ended + 1, total)} of ${total}`,
    ...describeRepeated(countRuns(runs).repeated),
    pluralize(findings, 'finding'),
    ...(ended > 0 ? [left] : []),
  ].join(', ')
}
