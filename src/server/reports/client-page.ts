import { type CoverageView, coverageToJson, type OperationCoverage } from './coverage.ts'
import { type CountedFinding, findingKinds, findingsToJson, type ReportedKind, reportedKinds } from './findings.ts'
import { type ReportFormat, renderReport } from './formats/index.ts'
import { listTestOutput } from './formats/test-output.ts'
import { listLines, type Page, type PageFinding, type PageSection, type TestCase } from './page/page.ts'
import {
  countFindings,
  describeFirst,
  judgeCondition,
  judgeFailOn,
  listUnapplied,
  pluralize,
  type Report,
  summarizeReport,
} from './report.ts'
import { describeRun, runToJson } from './reported-run.ts'
import { unjudgedReasons } from './retries/rules.ts'

/** Renders a report. `next`: lines that the text format adds below the findings, if there are any findings. */
export function renderClientReport(format: ReportFormat, report: Report, next: readonly string[] = []): string {
  const page = toClientPage(report)
  const found = listTestOutput(report)
  return renderReport(format, { ...page, text: found.length > 0 ? [...found, ...next] : page.summary })
}

/**
 * Converts a report to a page. In JUnit XML, each kind of finding is a suite, and each finding is a case, which fails
 * if `--fail-on` counts the finding. Coverage is a suite with one case per operation and one per coverage condition.
 */
function toClientPage(report: Report) {
  const { contract, run, sandbox, violations, unexpected, findings } = report
  const coverage = report.coverage()
  const problems = countFindings(findings.retries)
  const total = violations + unexpected + problems
  const failed = judgeFailOn(report, run.failOn)
  const verdictWithoutFindings = failed.length === 0 ? 'No problems found' : 'A --fail-on condition is met'
  const card = (section: string, count: number, label: string) => ({
    value: String(count),
    label,
    section,
    isGood: count === 0,
  })
  const parts = reportedKinds.map((kind) => describeKind(report, kind))
  return {
    subject: contract,
    heading: 'what the client did',
    verdict: {
      text: total === 0 ? verdictWithoutFindings : pluralize(total, 'finding'),
      isGood: total === 0 && failed.length === 0,
    },
    summary: [`${summarizeReport(report)}.`],
    facts: [...describeRun(run), sandbox === undefined ? 'all sandboxes' : `sandbox ${sandbox}`],
    failed,
    numbers: [
      card('violations', violations, 'requests that broke the contract'),
      card('unexpected', unexpected, 'unexpected responses'),
      card('retries', problems, 'retry problems'),
      { value: `${coverage.percent}%`, label: 'of the contract covered', section: 'coverage' },
    ],
    sections: [
      ...parts.map(({ section }) => section),
      ...describeUnmet(report),
      describeCoverage(coverage),
      ...coverage.operations.map(describeItems),
    ],
    cases: [...parts.flatMap(({ cases }) => cases), ...listOtherCases(report)],
    json: reportToJson(report),
  } satisfies Page
}

function reportToJson(report: Report) {
  const { contract, run, sandbox, findings, unjudged, coverage, truncated } = report
  const { requests, violations, unexpected, expected } = report
  return {
    contract,
    run: runToJson(run),
    sandbox: sandbox ?? '*',
    summary: summarizeReport(report),
    requests,
    violations: { requests: violations, ...findingsToJson(findings.violations) },
    unexpected: { responses: unexpected, ...findingsToJson(findings.unexpected) },
    expected: { requests: expected },
    retries: { ...findingsToJson(findings.retries), notJudged: unjudged },
    unmet: listUnapplied(report),
    advice: findingsToJson(findings.advice),
    coverage: coverageToJson(coverage()),
    truncated,
  }
}

function describeKind({ run, findings, unjudged }: Report, kind: ReportedKind) {
  const { gate, title, description, emptySentence } = findingKinds[kind]
  const { list, further } = findings[kind]
  const notJudged = kind === 'retries' ? unjudged.map(describeReason) : []
  if (list.length === 0) {
    const empty = { kind: 'lines', lines: [emptySentence], isGood: notJudged.length === 0 } as const
    const blocks = [empty, { kind: 'lines', lines: notJudged } as const]
    const passedCase: TestCase = { suite: kind, name: emptySentence, state: 'passed', text: '' }
    return { section: { key: kind, title, blocks }, cases: [passedCase] }
  }
  const isGated = run.failOn.some((condition) => condition.kind === gate)
  const severity = kind === 'advice' ? 'info' : 'warning'
  const pageFindings = list.map((finding) => toPageFinding(finding, isGated ? 'error' : severity))
  const omitted = further === 0 ? [] : [`${pluralize(further, 'further finding')} omitted.`]
  const common = { suite: kind, state: isGated ? 'failed' : 'passed' } as const
  const section: PageSection = {
    key: kind,
    title,
    blocks: [
      { kind: 'lines', lines: [description] },
      { kind: 'findings', findings: pageFindings },
      { kind: 'lines', lines: [...omitted, ...notJudged] },
    ],
  }
  const cases: readonly TestCase[] = [
    ...pageFindings.map((finding) => ({
      ...common,
      name: finding.title,
      message: finding.sentence,
      text: listLines(finding).join('\n'),
    })),
    ...omitted.map((text) => ({ ...common, name: 'further findings', text })),
  ]
  return { section, cases }
}

function describeUnmet({ unmet }: Report): PageSection[] {
  if (unmet.length === 0) return []
  const lines = unmet.map(({ sandbox, scope, sentence }) => `${sentence} (${scope}, sandbox ${sandbox})`)
  return [{ key: 'unmet', title: 'Rules applied to fewer requests than expected', blocks: [{ kind: 'lines', lines }] }]
}

const describeReason = ({ reason, count }: Report['unjudged'][number]) =>
  `${pluralize(count, 'failed call')} could not be judged: ${unjudgedReasons[reason]}.`

function toPageFinding(finding: CountedFinding, severity: PageFinding['severity']): PageFinding {
  const { title, sentence, first, count, requests } = finding
  const ids = requests.join(', ')
  const shownIds = count > requests.length ? `${ids} ... (${count} in total)` : ids
  const { curl } = first
  return {
    severity,
    title,
    sentence,
    notes: [`Requests: ${shownIds}; first: ${describeFirst(finding)}`],
    details: curl === undefined ? [] : [{ title: 'curl', lines: curl.trimEnd().split('\n') }],
  }
}

function describeCoverage({ met, points, percent, operations }: CoverageView): PageSection {
  const rows = operations.map((row) => [
    row.operation,
    `${row.method} ${row.path}`,
    ...[row.requests, row.met, row.points].map(String),
    `${row.percent}%`,
  ])
  const lines = operations.flatMap(({ operation, items }) => {
    const names = items.filter(({ state }) => state === 'out-of-reach').map(({ name }) => name)
    const uncounted = 'items that are not counted, because no known request covers them'
    return names.length === 0 ? [] : [`${operation} has ${uncounted}: ${names.join(', ')}.`]
  })
  return {
    key: 'coverage',
    title: 'Coverage',
    blocks: [
      { kind: 'lines', lines: [`Clients covered ${met} of ${points} items of the contract: ${percent}%.`] },
      { kind: 'table', head: ['operation', 'path', 'requests', 'covered', 'items', 'percentage'], rows },
      { kind: 'lines', lines },
    ],
  }
}

/** Describes each counted item of an operation: whether the item is covered and, if not, how to cover it. */
function describeItems(coverage: OperationCoverage, index: number): PageSection {
  const items = coverage.items.filter(({ state }) => state !== 'out-of-reach')
  return {
    key: `coverage-${index + 1}`,
    title: nameCoverage(coverage),
    isFolded: true,
    blocks: [
      {
        kind: 'table',
        head: ['item', 'covered, or how to cover it'],
        rows: items.map(({ name, missing }) => [name, missing?.sentence ?? 'covered']),
        states: items.map(({ state }) => (state === 'met' ? 'good' : 'bad')),
      },
    ],
  }
}

const nameCoverage = ({ operation, met, points, percent }: OperationCoverage) =>
  `${operation}: ${met} of ${points} items (${percent}%)`

/** Lists cases for coverage, for unapplied rules, for a run without requests, and for requests that may be missing. */
function listOtherCases(report: Report): TestCase[] {
  const { run, truncated } = report
  const cases: TestCase[] = []
  const add = (suite: string, name: string, isFailed: boolean, text: string) =>
    cases.push({ suite, name, state: isFailed ? 'failed' : 'passed', text })
  const isUnmetGated = run.failOn.some(({ kind }) => kind === 'unmet')
  for (const { sentence } of listUnapplied(report)) add('unmet', sentence, isUnmetGated, sentence)
  for (const operation of report.coverage().operations) add('coverage', nameCoverage(operation), false, '')
  for (const condition of run.failOn) {
    const problem = judgeCondition(report, condition)
    if (condition.kind === 'coverage') {
      const name = `at least ${condition.below}% of the contract is covered`
      add('coverage', name, problem !== undefined, problem ?? '')
    } else if (condition.kind === 'no-requests' && problem !== undefined) add('requests', 'no requests', true, problem)
  }
  const loss = 'Requests to other replicas may be missing.'
  if (truncated) add('replicas', loss, run.failOn.length > 0, loss)
  return cases
}
