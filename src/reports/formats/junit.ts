import type { OperationCoverage } from '../coverage-view.ts'
import type { Report } from '../report.ts'
import { createSections, type Section, type SectionItem } from '../sections.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * JUnit XML for CI systems. Each section is a suite with a failing test case for each finding, or a single passing one. Coverage
 * is a suite with a passing test case for each operation, whose output lists the missing items: a gap is no fault by itself
 * (`--fail-on coverage<80` makes it one). Every time is 0, so that the same requests give the same report.
 */
export const junitFormat: ReportFormat = {
  mediaType: 'application/xml; charset=utf-8',
  extension: '.xml',
  label: 'JUnit',
  render: renderJunit,
}

function renderJunit(report: Report): string {
  const suites = [...createSections(report).map(sectionSuite), coverageSuite(report.coverage.operations)]
  const total = attributes({
    tests: suites.reduce((sum, { cases }) => sum + cases.length, 0),
    failures: suites.reduce((sum, { failures }) => sum + failures, 0),
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: `convsim: ${report.contract.title}` })} ${total} errors="0">`,
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

function sectionSuite({ key, emptySentence, items, further }: Section): Suite {
  const name = `convsim.${key}`
  if (items.length === 0) {
    const passed = `<testcase ${attributes({ classname: name, name: emptySentence, time: 0 })}/>`
    return { name, failures: 0, cases: [[passed]] }
  }
  const more =
    further === ''
      ? []
      : [{ title: 'further ones', sentence: further, requests: 'not kept', trace: '', curl: '' }]
  const cases = [...items, ...more].map((item) => failedCase(name, item))
  return { name, failures: cases.length, cases }
}

function failedCase(classname: string, { title, sentence, requests, trace, curl }: SectionItem): string[] {
  const lines = [sentence, `Requests: ${requests}`, trace, curl.trimEnd()].filter((line) => line !== '')
  return [
    `<testcase ${attributes({ classname, name: title, time: 0 })}>`,
    `  <failure ${attributes({ type: classname, message: sentence })}>${escapeXml(lines.join('\n'))}</failure>`,
    '</testcase>',
  ]
}

function coverageSuite(operations: readonly OperationCoverage[]): Suite {
  const classname = 'convsim.coverage'
  const cases = operations.map(({ operation, met, points, percent, missing }) => {
    const name = `${operation}: ${met} of ${points} points (${percent} %)`
    const lines = missing.map(({ sentence }) => sentence).join('\n')
    return [
      `<testcase ${attributes({ classname, name, time: 0 })}>`,
      ...(lines === '' ? [] : [`  <system-out>${escapeXml(lines)}</system-out>`]),
      '</testcase>',
    ]
  })
  return { name: classname, failures: 0, cases }
}

function attributes(values: Readonly<Record<string, string | number>>): string {
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
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
}
