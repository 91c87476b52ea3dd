import { attributes, commentText, escapeXml } from '../../reports/formats/junit.ts'
import { describeRun } from '../../reports/reported-run.ts'
import { judgeSuiteCondition } from '../judge-suite.ts'
import { isSuiteCondition } from '../parse-suite-fail-on.ts'
import { nameRun } from '../plan.ts'
import { listFindings, type SuiteFinding, type SuiteReport } from '../suite-report.ts'

/**
 * Renders a report as JUnit XML: a suite for each set, with a test case for each run. It fails where `--fail-on` does: a finding is a
 * failure if its condition is met, and else the output of a passing case. A run without its fault is skipped.
 */
export function renderJunit(report: SuiteReport): string {
  const findings = new Map(listFindings(report).map((finding) => [finding.name, finding]))
  const groups = [...new Set(report.runs.map(({ run }) => run.fault.group))]
  const suites = groups.map((group) => {
    const own = report.runs.filter(({ run }) => run.fault.group === group)
    const cases = own.map(({ run, verdict }) => {
      const name = nameRun(run)
      const finding = findings.get(name)
      const isFailure = finding !== undefined && isFailed(report, finding.kind)
      return { name, verdict, finding, isFailure }
    })
    return { name: `convsim.${group}`, cases }
  })
  const all = suites.flatMap(({ cases }) => cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: `convsim: ${report.contract.title}`, tests: all.length, failures: countFailures(all), errors: 0 })}>`,
    `  <!-- ${commentText(describeRun(report.run).join(', '))} -->`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n')
}

interface Case {
  readonly name: string
  readonly verdict: string
  readonly finding: SuiteFinding | undefined
  readonly isFailure: boolean
}

const countFailures = (cases: readonly Case[]) => cases.filter(({ isFailure }) => isFailure).length

const isSkipped = ({ verdict, finding }: Case) => verdict === 'not-reached' && !finding

/** Returns true for a finding whose condition is met. */
function isFailed({ failOn, runs }: SuiteReport, kind: SuiteFinding['kind']): boolean {
  return failOn.some(
    (condition) =>
      isSuiteCondition(condition) &&
      condition.kind === kind &&
      judgeSuiteCondition(runs, condition) !== undefined,
  )
}

function suiteLines({ name, cases }: { readonly name: string; readonly cases: readonly Case[] }): string[] {
  const skipped = cases.filter(isSkipped).length
  const counts = { tests: cases.length, failures: countFailures(cases), errors: 0, skipped, time: 0 }
  return [
    `  <testsuite ${attributes({ name, ...counts })}>`,
    ...cases.flatMap((one) => caseLines(name, one).map((line) => `    ${line}`)),
    '  </testsuite>',
  ]
}

function caseLines(classname: string, one: Case): string[] {
  const { name, verdict, finding, isFailure } = one
  const head = `<testcase ${attributes({ classname, name, time: 0 })}`
  if (isSkipped(one)) return [`${head}>`, '  <skipped message="not reached"/>', '</testcase>']
  if (!finding) return [`${head}>`, `  <system-out>${escapeXml(verdict)}</system-out>`, '</testcase>']
  const { sentence, client, requests, lastLines, repeat } = finding
  const text = [sentence, ...client, repeat, 'Requests:', ...requests, 'Output:', ...lastLines].join('\n')
  const element = isFailure
    ? `failure ${attributes({ type: finding.kind, message: sentence })}`
    : 'system-out'
  const [tag] = element.split(' ')
  return [`${head}>`, `  <${element}>${escapeXml(text)}</${tag}>`, '</testcase>']
}
