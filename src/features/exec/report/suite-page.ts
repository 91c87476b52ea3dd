import { listLines, type Page, type PageBlock, type TestCase } from '../../../server/reports/page/page.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { describeCommand, describeRun, type ReportedRun, runToJson } from '../../../server/reports/reported-run.ts'
import { nameRun } from '../plan/plan.ts'
import {
  findingOf,
  isConclusive,
  type JudgedRun,
  judgeRequests,
  judgeSuiteCondition,
  type SuiteVerdict,
  verdicts,
} from './judge-run.ts'
import { listFindings, type SuiteFinding, toPageFinding } from './suite-findings.ts'
import {
  countGroups,
  countRequests,
  countRuns,
  describeProblem,
  describeSummary,
  describeVerdicts,
  explainNoVerdict,
  formatVerdict,
  type SuiteReport,
} from './suite-report.ts'

export function toSuitePage(report: SuiteReport): Page {
  const { suite, baseline, runs, failed } = report
  const run = { ...baseline.report.run, command: describeCommand(suite.args) }
  const findings = listFindings(report)
  const noVerdict = explainNoVerdict(report)
  return {
    subject: baseline.report.contract,
    heading: 'fault injection report',
    verdict: {
      text: findings.length === 0 ? (noVerdict ?? 'No problems found') : pluralize(findings.length, 'finding'),
      isGood: findings.length === 0 && noVerdict === undefined,
    },
    summary: describeSummary(report),
    facts: describeRun(run),
    failed,
    numbers: countGroups(runs).map(({ group, counts, percent, clientFindings }) => ({
      value: percent === undefined ? '–' : `${percent}%`,
      label: `good verdicts on ${group}`,
      section: 'verdicts',
      isGood: clientFindings === 0 && verdicts.every((name) => counts[name] === 0 || !findingOf(name)),
    })),
    sections: describeSections(report, findings),
    cases: listCases(report, findings),
    json: suiteToJson(report, findings, run),
  }
}

function describeSections(report: SuiteReport, findings: readonly SuiteFinding[]): Page['sections'] {
  const { runs } = report
  const lines = describeVerdicts(report)
  const pageFindings = findings.map((finding) => toPageFinding(finding, failsSuite(report, finding)))
  const rows = runs.map(({ run: { fault, operation, pointer, occurrence }, verdict }) => [
    fault.name,
    operation,
    pointer ?? `request ${occurrence}`,
    formatVerdict(verdict),
  ])
  const states = runs.map(({ verdict }) => colorOf(verdict))
  const head = ['fault', 'operation', 'target', 'verdict']
  const cut = { after: 20, rest: '--report FILE lists' }
  const section = (title: string, { length }: readonly unknown[], block: PageBlock) =>
    length === 0 ? [] : [{ key: title.toLowerCase(), title, blocks: [block] }]
  return [
    ...section('Verdicts', lines, { kind: 'lines', lines }),
    ...section('Findings', pageFindings, { kind: 'findings', findings: pageFindings, cut }),
    ...section('Runs', rows, { kind: 'table', head, rows, states }),
  ]
}

function colorOf(verdict: SuiteVerdict): 'good' | 'bad' | '' {
  if (findingOf(verdict)) return 'bad'
  return isConclusive(verdict) ? 'good' : ''
}

function listCases(report: SuiteReport, findings: readonly SuiteFinding[]): TestCase[] {
  const { suite, baseline, runs } = report
  const problems = [...judgeRequests(baseline.report, suite.failOn), describeProblem(report) ?? []].flat()
  const state = problems.length > 0 ? 'failed' : 'passed'
  const byName = new Map(findings.map((finding) => [finding.name, finding]))
  return [
    { suite: 'baseline', name: 'without faults', state, type: 'baseline', text: problems.join('; ') },
    ...runs.map((judged) => toCase(report, judged, byName.get(nameRun(judged.run)))),
  ]
}

function toCase(report: SuiteReport, { run, verdict, failed, ms }: JudgedRun, finding?: SuiteFinding): TestCase {
  const named = { suite: run.fault.group, name: nameRun(run), ms }
  const kind = finding?.kind ?? verdict
  const isError = finding !== undefined && failsSuite(report, finding)
  const isFailed = isError || failed.length > 0
  if (!isFailed && (kind === 'flaky' || kind === 'not-reached'))
    return { ...named, state: 'skipped', text: finding?.sentence ?? 'not reached' }
  const state = isFailed ? 'failed' : 'passed'
  if (!finding) return { ...named, state, type: 'client', text: failed.join('; ') || verdict }
  const { sentence, client } = finding
  const text = listLines({ ...toPageFinding(finding, isError), notes: [...client, ...failed] }).join('\n')
  return { ...named, state, type: kind, message: isError ? sentence : [sentence, ...failed].join(' '), text }
}

function failsSuite({ suite, runs }: SuiteReport, { kind }: SuiteFinding): boolean {
  return suite.failOn.some(
    (condition) =>
      'above' in condition && condition.kind === kind && judgeSuiteCondition(runs, condition) !== undefined,
  )
}

function suiteToJson(report: SuiteReport, findings: readonly SuiteFinding[], reported: ReportedRun): object {
  const { baseline, plan, runs, changes, notMade, earlyEnd, failed } = report
  const { contractDigest, failOn, ...run } = runToJson(reported)
  const { counts, made, repeated, clientFindings } = countRuns(runs)
  return {
    runs: runs.map(({ run: { fault, operation, occurrence, pointer }, verdict }) => {
      return { fault: fault.name, operation, occurrence, pointer, verdict }
    }),
    summary: {
      ...counts,
      made,
      repeated,
      skippedRuns: plan.skippedRuns,
      skippedRequests: plan.skippedRequests,
      clientFindings,
      changes,
      notMade,
      endedBy: earlyEnd,
      requestsWithoutFaults: countRequests(baseline),
      groups: countGroups(runs).map(({ group, counts, percent = null, clientFindings }) => {
        return { group, ...counts, percent, clientFindings }
      }),
      failOn: failed,
    },
    truncated: notMade > 0,
    findings,
    contract: baseline.report.contract,
    run: { ...run, contract: contractDigest },
  }
}
