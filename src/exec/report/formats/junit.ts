import { attributes, commentText, escapeXml } from '../../../reports/formats/junit.ts'
import { describeRun } from '../../../reports/reported-run.ts'
import { isSuiteCondition } from '../../parse-suite-fail-on.ts'
import { nameRun } from '../../plan/plan.ts'
import { judgeSuiteCondition } from '../judge-suite.ts'
import { listFindings, type SuiteFinding } from '../suite-findings.ts'
import { describeNothing, describeRedPlainRun, type JudgedRun, type SuiteReport } from '../suite-report.ts'

/** A test case. `text`: its output, or that of its failure. */
interface Case {
  readonly classname: string
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The type and the message of a failure. */
  readonly type: string
  readonly message: string
  readonly text: string
  readonly ms: number
}

/**
 * Renders a report as JUnit XML: a suite for each set, with a test case for each run, and one for the run without faults. It fails where
 * `--fail-on` does: a finding is a failure if its condition is met, and else the output of a passing case. A run without its fault is
 * skipped.
 */
export function renderJunit(report: SuiteReport): string {
  const findings = new Map(listFindings(report).map((finding) => [finding.name, finding]))
  const all = [
    plainCase(report),
    ...report.runs.map((judged) => runCase(report, judged, findings.get(nameRun(judged.run)))),
  ]
  const names = [...new Set(all.map(({ classname }) => classname))]
  const counts = { tests: all.length, failures: count(all, 'failed'), errors: 0 }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: `convsim: ${report.contract.title}`, ...counts })}>`,
    `  <!-- ${commentText(describeRun(report.run).join(', '))} -->`,
    ...names.flatMap((name) =>
      suiteLines(
        name,
        all.filter(({ classname }) => classname === name),
      ),
    ),
    '</testsuites>',
    '',
  ].join('\n')
}

const count = (cases: readonly Case[], state: Case['state']) =>
  cases.filter((one) => one.state === state).length

/** Returns the case of the run without faults, which also fails where no fault was tried. */
function plainCase(report: SuiteReport): Case {
  const problem = describeNothing(report) ?? describeRedPlainRun(report)
  const problems = [...report.plainFailed, ...(problem === undefined ? [] : [problem])]
  const state = problems.length > 0 ? 'failed' : 'passed'
  const message = problems.join('; ')
  return {
    classname: 'convsim.plain',
    name: 'without faults',
    state,
    type: 'plain',
    message,
    text: message,
    ms: 0,
  }
}

function runCase(report: SuiteReport, judged: JudgedRun, finding: SuiteFinding | undefined): Case {
  const { run, verdict, failed, ms } = judged
  const named = { classname: `convsim.${run.fault.group}`, name: nameRun(run), ms }
  const isCounted = finding !== undefined && isMet(report, finding.kind)
  const state = isCounted || failed.length > 0 ? 'failed' : 'passed'
  if (finding?.kind === 'unsteady' && failed.length === 0)
    return { ...named, state: 'skipped', type: '', message: '', text: finding.sentence }
  if (finding) {
    const { kind, sentence, client, requests, lastLines, repeat } = finding
    const message = isCounted ? sentence : [sentence, ...failed].join(' ')
    const text = [sentence, ...client, ...failed, repeat, 'Requests:', ...requests, 'Output:', ...lastLines]
    return { ...named, state, type: kind, message, text: text.join('\n') }
  }
  const message = failed.join('; ')
  if (failed.length > 0) return { ...named, state, type: 'client', message, text: message }
  if (verdict === 'not-reached') return { ...named, state: 'skipped', type: '', message, text: 'not reached' }
  return { ...named, state, type: '', message, text: verdict }
}

/** Returns true for a finding whose condition is met. */
function isMet({ failOn, runs }: SuiteReport, kind: SuiteFinding['kind']): boolean {
  return failOn.some(
    (condition) =>
      isSuiteCondition(condition) &&
      condition.kind === kind &&
      judgeSuiteCondition(runs, condition) !== undefined,
  )
}

function suiteLines(name: string, cases: readonly Case[]): string[] {
  const counts = {
    tests: cases.length,
    failures: count(cases, 'failed'),
    errors: 0,
    skipped: count(cases, 'skipped'),
    time: toSeconds(cases.reduce((sum, { ms }) => sum + ms, 0)),
  }
  return [
    `  <testsuite ${attributes({ name, ...counts })}>`,
    ...cases.flatMap((one) => caseLines(one).map((line) => `    ${line}`)),
    '  </testsuite>',
  ]
}

const toSeconds = (ms: number) => Math.round(ms) / 1000

function caseLines({ classname, name, state, type, message, text, ms }: Case): string[] {
  const head = `<testcase ${attributes({ classname, name, time: toSeconds(ms) })}`
  const bodies = {
    skipped: `<skipped ${attributes({ message: text })}/>`,
    failed: `<failure ${attributes({ type, message })}>${escapeXml(text)}</failure>`,
    passed: `<system-out>${escapeXml(text)}</system-out>`,
  }
  if (text === '') return [`${head}/>`]
  return [`${head}>`, `  ${bodies[state]}`, '</testcase>']
}
