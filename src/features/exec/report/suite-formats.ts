import type { JsonObject } from '../../../base/core/json.ts'
import {
  listLines,
  type Page,
  type PageBlock,
  type PageFinding,
  type PageSection,
  type TestCase,
} from '../../../server/reports/page/page.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { describeRun } from '../../../server/reports/reported-run.ts'
import { isSuiteCondition } from '../parse-suite-fail-on.ts'
import { nameRun } from '../plan/plan.ts'
import { judgeSuiteCondition } from './judge-suite.ts'
import { findFailure, listFindings, type SuiteFinding } from './suite-findings.ts'
import {
  countRepeated,
  countVerdicts,
  describeBaselineRun,
  describeCaveats,
  describeFields,
  describeGroup,
  describeNothing,
  describeProblem,
  formatVerdict,
  hasOnlyClientFindings,
  type JudgedRun,
  type SuiteReport,
  summarizeGroups,
  summarizeRuns,
} from './suite-report.ts'
import { findingOf, isConclusive, verdicts } from './verdict.ts'

export function toSuitePage(report: SuiteReport): Page {
  const { contract, run, runs, failed } = report
  const findings = listFindings(report)
  const nothing = describeNothing(report)
  const groups = summarizeGroups(runs)
  const good = nothing ?? 'Nothing to complain about'
  return {
    subject: contract,
    heading: 'faults against the test suite',
    verdict: {
      text: findings.length === 0 ? good : `${pluralize(findings.length, 'thing')} to look at`,
      isGood: findings.length === 0 && nothing === undefined,
    },
    summary: [describeBaselineRun(report), summarizeRuns(report)],
    facts: describeRun(run),
    failed,
    numbers: groups.map(({ group, counts, percent, withClientFindings }) => ({
      value: percent === undefined ? '–' : `${percent} %`,
      label: `good verdicts on ${group}`,
      section: 'verdicts',
      isGood: withClientFindings === 0 && verdicts.every((name) => counts[name] === 0 || !findingOf(name)),
    })),
    sections: describeSections(report, findings),
    cases: listSuiteCases(report, findings),
    json: suiteToJson(report),
  }
}

function describeSections(report: SuiteReport, findings: readonly SuiteFinding[]): PageSection[] {
  const { runs } = report
  const lines = [...describeFields(runs), ...summarizeGroups(runs).map(describeGroup), ...describeCaveats(report)]
  const listed = findings.map((finding) => suiteFindingToPage(finding, isMet(report, finding.kind)))
  const cut = { after: 20, rest: '--report FILE has' }
  const sections: PageSection[] = [
    { key: 'verdicts', title: 'Verdicts', blocks: lines.length > 0 ? [{ kind: 'lines', lines }] : [] },
    {
      key: 'findings',
      title: 'Findings',
      blocks: listed.length > 0 ? [{ kind: 'findings', findings: listed, cut }] : [],
    },
    { key: 'runs', title: 'Runs', blocks: runs.length > 0 ? [tabulateRuns(runs)] : [] },
  ]
  return sections.filter(({ blocks }) => blocks.length > 0)
}

function suiteFindingToPage(finding: SuiteFinding, isFailed: boolean): PageFinding {
  const { name, kind, sentence, client, lastLines, requests, repeat } = finding
  // A command that passed has nothing to say about the fault.
  const isAside = kind === 'unnoticed' || kind === 'client'
  const folded = [
    { title: 'output', lines: lastLines, focus: findFailure(lastLines), isAside },
    { title: 'requests', lines: requests },
  ]
  return {
    severity: isFailed ? 'error' : 'warning',
    title: name,
    sentence,
    notes: client,
    details: [{ title: '', lines: [repeat] }, ...folded.filter(({ lines }) => lines.length > 0)],
  }
}

function tabulateRuns(runs: readonly JudgedRun[]): PageBlock {
  const rows = runs.map(({ run, verdict }) => [
    run.fault.name,
    run.operation,
    run.pointer ?? `request ${run.occurrence}`,
    formatVerdict(verdict),
  ])
  const states = runs.map(({ verdict }) => (findingOf(verdict) ? 'bad' : isConclusive(verdict) ? 'good' : ''))
  return { kind: 'table', head: ['fault', 'operation', 'place', 'verdict'], rows, states }
}

/**
 * Lists a test case for each run, and one for the run without faults. A finding is a failure if its condition is met,
 * and else the output of a passing case. A run without its fault is skipped.
 */
function listSuiteCases(report: SuiteReport, findings: readonly SuiteFinding[]): TestCase[] {
  const byName = new Map(findings.map((finding) => [finding.name, finding]))
  return [plainCase(report), ...report.runs.map((judged) => runCase(report, judged, byName.get(nameRun(judged.run))))]
}

/** Returns the case of the run without faults, which also fails where no fault was tried. */
function plainCase(report: SuiteReport): TestCase {
  const problem = describeProblem(report)
  const problems = [...report.baselineFailed, ...(problem === undefined ? [] : [problem])]
  const state = problems.length > 0 ? 'failed' : 'passed'
  return { suite: 'plain', name: 'without faults', state, type: 'plain', text: problems.join('; ') }
}

function runCase(report: SuiteReport, judged: JudgedRun, finding: SuiteFinding | undefined): TestCase {
  const { run, verdict, failed, ms } = judged
  const named = { suite: run.fault.group, name: nameRun(run), ms }
  const isCounted = finding !== undefined && isMet(report, finding.kind)
  const state = isCounted || failed.length > 0 ? 'failed' : 'passed'
  if (finding?.kind === 'unsteady' && failed.length === 0) return { ...named, state: 'skipped', text: finding.sentence }
  if (finding) {
    const { kind, sentence, client } = finding
    const page = suiteFindingToPage(finding, isCounted)
    const text = listLines({ ...page, notes: [...client, ...failed] }).join('\n')
    return {
      ...named,
      state,
      type: kind,
      message: isCounted ? sentence : [sentence, ...failed].join(' '),
      text,
    }
  }
  if (failed.length > 0) return { ...named, state, type: 'client', text: failed.join('; ') }
  if (verdict === 'not-reached') return { ...named, state: 'skipped', text: 'not reached' }
  return { ...named, state, text: verdict }
}

/** Returns true for a finding whose condition is met. */
function isMet({ failOn, runs }: SuiteReport, kind: SuiteFinding['kind']): boolean {
  return failOn.some(
    (condition) =>
      isSuiteCondition(condition) && condition.kind === kind && judgeSuiteCondition(runs, condition) !== undefined,
  )
}

function suiteToJson(report: SuiteReport): JsonObject {
  const { runs, baselineCounts, equivalent, leftOut, changes, notMade, earlyEnd, failed } = report
  return {
    runs: runs.map(suiteRunToJson),
    summary: {
      ...countVerdicts(runs),
      made: runs.filter((one) => one.made > 0).length,
      repeated: countRepeated(runs),
      equivalent,
      leftOut: leftOut.map(({ operation, occurrences, sameAs }) => ({
        operation,
        occurrences: [...occurrences],
        like: [...sameAs],
      })),
      clientFindings: runs.filter(hasOnlyClientFindings).length,
      changes: [...changes],
      notMade,
      ...(earlyEnd && { endedBy: earlyEnd }),
      requestsWithoutFaults: { ...baselineCounts },
      groups: summarizeGroups(runs).map(({ group, counts, percent, withClientFindings }) => ({
        group,
        ...counts,
        percent: percent ?? null,
        clientFindings: withClientFindings,
      })),
      failOn: [...failed],
    },
    truncated: notMade > 0,
    findings: listFindings(report).map(({ client, lastLines, requests, ...finding }) => ({
      ...finding,
      client: [...client],
      lastLines: [...lastLines],
      requests: [...requests],
    })),
    ...circumstancesToJson(report),
  }
}

/** Converts the contract of a report and what it was made with to JSON. */
function circumstancesToJson({ contract, run }: SuiteReport): JsonObject {
  const { at, version, command, seed, clock, contractDigest } = run
  return {
    contract: { ...contract },
    run: {
      at: new Date(at).toISOString(),
      version,
      command: command ?? null,
      seed,
      clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
      contract: contractDigest,
    },
  }
}

function suiteRunToJson({ run: { fault, operation, occurrence, pointer }, verdict }: JudgedRun): JsonObject {
  return { fault: fault.name, operation, occurrence, ...(pointer !== undefined && { pointer }), verdict }
}
