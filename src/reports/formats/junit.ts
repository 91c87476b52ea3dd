import type { OperationCoverage } from '../coverage-view.ts'
import { judgeCondition } from '../fail-on.ts'
import type { Report } from '../report.ts'
import { describeRun } from '../reported-run.ts'
import { createSections, type Section, type SectionItem } from '../sections.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * JUnit XML for CI systems. It fails where `--fail-on` does: each section is a suite with a test case for each finding, which fails if the
 * section has a condition, and passes with the finding as its output if not. Coverage is a suite with a passing test case for each
 * operation, whose output lists the missing items, and one for each condition `coverage<N`. If requests to other replicas may be missing,
 * a suite says so, and fails if there is any condition. Every time is 0.
 */
export const junitFormat: ReportFormat = {
  mediaType: 'application/xml; charset=utf-8',
  extension: '.xml',
  label: 'JUnit',
  render: renderJunit,
}

function renderJunit(report: Report): string {
  const gates = new Set(report.run.failOn.map(({ kind }) => kind))
  const suites = [
    ...createSections(report).map((section) => sectionSuite(section, gates.has(section.gate))),
    coverageSuite(report),
    ...(report.truncated ? [lossSuite(gates.size > 0)] : []),
  ]
  const total = attributes({
    tests: suites.reduce((sum, { cases }) => sum + cases.length, 0),
    failures: suites.reduce((sum, { failures }) => sum + failures, 0),
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: `convsim: ${report.contract.title}` })} ${total} errors="0">`,
    `  <!-- ${commentText(describeRun(report.run).join(', '))} -->`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n')
}

interface Suite {
  readonly name: string
  readonly failures: number
  /** The lines of each test case. */
  readonly cases: readonly (readonly string[])[]
}

function suiteLines({ name, failures, cases }: Suite): string[] {
  const head = attributes({ name, tests: cases.length, failures, errors: 0, skipped: 0, time: 0 })
  return [`  <testsuite ${head}>`, ...cases.flat().map((line) => `    ${line}`), '  </testsuite>']
}

function sectionSuite({ key, emptySentence, items, further }: Section, isGated: boolean): Suite {
  const name = `convsim.${key}`
  if (items.length === 0) {
    const passed = `<testcase ${attributes({ classname: name, name: emptySentence, time: 0 })}/>`
    return { name, failures: 0, cases: [[passed]] }
  }
  const more =
    further === ''
      ? []
      : [{ title: 'further ones', sentence: further, requests: 'not kept', trace: '', curl: '' }]
  const cases = [...items, ...more].map((item) => findingCase(name, item, isGated))
  return { name, failures: isGated ? cases.length : 0, cases }
}

function findingCase(
  classname: string,
  { title, sentence, requests, trace, curl }: SectionItem,
  isGated: boolean,
): string[] {
  const lines = [sentence, `Requests: ${requests}`, trace, curl.trimEnd()].filter((line) => line !== '')
  const text = escapeXml(lines.join('\n'))
  const failure = `<failure ${attributes({ type: classname, message: sentence })}>${text}</failure>`
  return [
    `<testcase ${attributes({ classname, name: title, time: 0 })}>`,
    `  ${isGated ? failure : `<system-out>${text}</system-out>`}`,
    '</testcase>',
  ]
}

/** Says that requests to other replicas may be missing, so that no condition is proved to be unmet. */
function lossSuite(isGated: boolean): Suite {
  const sentence = 'Requests to other replicas may be missing.'
  const item = { title: sentence, sentence, requests: 'unknown', trace: '', curl: '' }
  const name = 'convsim.replicas'
  return { name, failures: isGated ? 1 : 0, cases: [findingCase(name, item, isGated)] }
}

function coverageSuite(report: Report): Suite {
  const classname = 'convsim.coverage'
  const cases = report.coverage.operations.map((operation) => operationCase(classname, operation))
  const gates = report.run.failOn.flatMap((condition) => {
    if (condition.kind !== 'coverage') return []
    const name = `at least ${condition.below} % of the contract is covered`
    return [{ name, message: judgeCondition(report, condition) }]
  })
  const gateCases = gates.map(({ name, message }) => gateCase(classname, name, message))
  const failures = gates.filter(({ message }) => message !== undefined).length
  return { name: classname, failures, cases: [...cases, ...gateCases] }
}

function gateCase(classname: string, name: string, message: string | undefined): string[] {
  const head = `<testcase ${attributes({ classname, name, time: 0 })}`
  if (message === undefined) return [`${head}/>`]
  return [`${head}>`, `  <failure ${attributes({ type: classname, message })}/>`, '</testcase>']
}

function operationCase(
  classname: string,
  { operation, met, points, percent, missing }: OperationCoverage,
): string[] {
  const name = `${operation}: ${met} of ${points} points (${percent} %)`
  const lines = missing.map(({ sentence }) => sentence).join('\n')
  return [
    `<testcase ${attributes({ classname, name, time: 0 })}>`,
    ...(lines === '' ? [] : [`  <system-out>${escapeXml(lines)}</system-out>`]),
    '</testcase>',
  ]
}

/** Returns a text for an XML comment, which must not contain two hyphens. */
export function commentText(text: string): string {
  return escapeXml(text).replace(/-(?=-)/g, '- ')
}

/** Writes the attributes of an element. */
export function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}="${escapeXml(String(value))
          .replace(/\s/g, (space) => `&#${space.charCodeAt(0)};`)
          .replaceAll('&#32;', ' ')}"`,
    )
    .join(' ')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for XML, and removes the characters that XML 1.0 cannot express: control characters, U+FFFE and U+FFFF. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
}
