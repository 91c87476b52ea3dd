import type { OperationCoverage } from './coverage-view.ts'
import { judgeCondition, judgeFailOn } from './fail-on.ts'
import { type ReportFormat, renderReport } from './formats/index.ts'
import { reportToJson } from './formats/json.ts'
import { listLines, type Page, type PageBlock, type PageSection, type TestCase } from './page/page.ts'
import { countFindings, pluralize, type Report, summarizeReport } from './report.ts'
import { describeRun } from './reported-run.ts'
import { createSections } from './sections.ts'

export function renderClientReport(format: ReportFormat, report: Report): string {
  return renderReport(
    format,
    () => toClientPage(report),
    () => reportToJson(report),
  )
}

/**
 * Describes what the client did. A suite of JUnit is a section with a case for each finding, which fails if `--fail-on`
 * counts it; the coverage, with a case for each operation and condition; and the loss of requests, if there may be any.
 */
function toClientPage(report: Report): Page {
  const { contract, run, sandbox, violations, unexpected, retries, coverage } = report
  const lapses = countFindings(retries)
  const faults = violations + unexpected + lapses
  const failed = judgeFailOn(report, run.failOn)
  const good = failed.length === 0 ? 'Nothing to complain about' : 'A condition of --fail-on is met'
  const card = (section: string, count: number, label: string) => ({
    value: String(count),
    label,
    section,
    isGood: count === 0,
  })
  return {
    subject: contract,
    heading: 'what the client did',
    verdict: {
      text: faults === 0 ? good : `${pluralize(faults, 'thing')} to look at`,
      isGood: faults === 0 && failed.length === 0,
    },
    summary: [`${summarizeReport(report)}.`],
    facts: [...describeRun(run), sandbox === undefined ? 'all sandboxes' : `sandbox ${sandbox}`],
    failed,
    numbers: [
      card('violations', violations, 'broke the contract'),
      card('unexpected', unexpected, 'unexpected responses'),
      card('retries', lapses, 'retry problems'),
      { value: `${coverage.percent} %`, label: 'of the contract covered', section: 'coverage' },
    ],
    sections: [
      ...createSections(report).map(({ key, title, description, emptySentence, findings, omitted }) => {
        const blocks: readonly PageBlock[] =
          findings.length === 0
            ? [{ kind: 'lines', lines: [emptySentence], isGood: true }]
            : [
                { kind: 'lines', lines: [description] },
                { kind: 'findings', findings },
                { kind: 'lines', lines: omitted === '' ? [] : [omitted] },
              ]
        return { key, title, blocks }
      }),
      describeCoverage(report),
      ...coverage.operations.map(describeItems),
    ],
    cases: listCases(report),
  }
}

function describeCoverage({ coverage: { met, points, percent, operations } }: Report): PageSection {
  const rows = operations.map((one) => [
    one.operation,
    `${one.method} ${one.path}`,
    ...[one.requests, one.met, one.points].map(String),
    `${one.percent} %`,
  ])
  const lines = operations.flatMap(({ operation, items }) => {
    const names = items.filter(({ state }) => state === 'out-of-reach').map(({ name }) => name)
    const reason = 'Not counted, since the simulator knows no request that shows it'
    return names.length === 0 ? [] : [`${operation}: ${reason}: ${names.join(', ')}.`]
  })
  return {
    key: 'coverage',
    title: 'Coverage',
    blocks: [
      { kind: 'lines', lines: [`${met} of ${points} items of the contract were covered: ${percent} %.`] },
      { kind: 'table', head: ['operation', 'path', 'requests', 'met', 'of', 'covered'], rows },
      { kind: 'lines', lines },
    ],
  }
}

/** Describes each item of an operation's coverage: that it was met, or how to meet it. */
function describeItems(coverage: OperationCoverage, index: number): PageSection {
  const items = coverage.items.filter(({ state }) => state !== 'out-of-reach')
  return {
    key: `coverage-${index + 1}`,
    title: nameCoverage(coverage),
    isFolded: true,
    blocks: [
      {
        kind: 'table',
        head: ['item', 'met, or how to meet it'],
        rows: items.map(({ name, sentence = 'met' }) => [name, sentence]),
        states: items.map(({ state }) => (state === 'met' ? 'good' : 'bad')),
      },
    ],
  }
}

const nameCoverage = ({ operation, met, points, percent }: OperationCoverage) =>
  `${operation}: ${met} of ${points} points (${percent} %)`

function listCases(report: Report): TestCase[] {
  const { run, coverage, truncated } = report
  const gates = new Set(run.failOn.map(({ kind }) => kind))
  const stateOf = (isFailed: boolean) => (isFailed ? 'failed' : 'passed')
  const loss = 'Requests to other replicas may be missing.'
  return [
    ...createSections(report).flatMap(({ key, gate, emptySentence, findings, omitted }): TestCase[] => {
      if (findings.length === 0) return [{ suite: key, name: emptySentence, state: 'passed', text: '' }]
      const one = { suite: key, state: stateOf(gates.has(gate)) } as const
      return [
        ...findings.map((finding) => ({
          ...one,
          name: finding.title,
          message: finding.sentence,
          text: listLines(finding).join('\n'),
        })),
        ...(omitted === '' ? [] : [{ ...one, name: 'further ones', text: omitted }]),
      ]
    }),
    ...coverage.operations.map(
      (one) => ({ suite: 'coverage', name: nameCoverage(one), state: 'passed', text: '' }) as const,
    ),
    ...run.failOn.flatMap((condition): TestCase[] => {
      const problem = judgeCondition(report, condition)
      if (condition.kind === 'no-requests')
        return problem === undefined ? [] : [{ suite: 'requests', name: 'no request', state: 'failed', text: problem }]
      if (condition.kind !== 'coverage') return []
      const name = `at least ${condition.below} % of the contract is covered`
      return [{ suite: 'coverage', name, state: stateOf(problem !== undefined), text: problem ?? '' }]
    }),
    ...(truncated ? [{ suite: 'replicas', name: loss, state: stateOf(gates.size > 0), text: loss } as const] : []),
  ]
}
