import { attributes, commentText, escapeXml } from '../../../reports/formats/junit.ts'
import { describeRun } from '../../../reports/reported-run.ts'
import { describeHuntFinding, describeNeed, type HuntReport, summarizeHunt } from '../hunt-report.ts'

/** Renders the outcome of a hunt as JUnit XML: one test case, which fails where `--fail-on` does. */
export function renderHuntJunit(report: HuntReport): string {
  const { contract, run, finding, failed } = report
  const failures = failed.length > 0 ? 1 : 0
  const counts = { tests: 1, failures, errors: 0 }
  const message = finding ? describeHuntFinding(finding, report) : (failed[0] ?? '')
  const text = [
    ...failed,
    ...(finding
      ? [
          message,
          describeNeed(finding),
          finding.repeat,
          'Requests:',
          ...finding.requests,
          'Output:',
          ...finding.lastLines,
        ]
      : []),
    ...summarizeHunt(report),
  ].join('\n')
  const element =
    failures > 0 ? `failure ${attributes({ type: finding?.verdict ?? 'fail-on', message })}` : 'system-out'
  const [tag] = element.split(' ')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: `convsim: ${contract.title}`, ...counts })}>`,
    `  <!-- ${commentText(describeRun(run).join(', '))} -->`,
    `  <testsuite ${attributes({ name: 'convsim.hunt', ...counts, skipped: 0, time: 0 })}>`,
    `    <testcase ${attributes({ classname: 'convsim.hunt', name: 'survives combinations of faults', time: 0 })}>`,
    `      <${element}>${escapeXml(text)}</${tag}>`,
    '    </testcase>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
