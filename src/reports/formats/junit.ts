import type { OperationCoverage } from '../coverage-view.ts'
import type { Report } from '../report.ts'
import { type Section, type SectionItem, sectionsOf } from '../sections.ts'

/**
 * JUnit XML, as CI systems read it: a suite for each kind of finding, a test case for each finding, which fails, or a single
 * one that passes. Coverage has a test case for each operation, which passes, with what is missing in its output: a gap is
 * no fault by itself (`--fail-on coverage<80` makes it one).
 * Readers want a time everywhere; ours is none, so that the same requests give the same report.
 */
export function junitReport(report: Report): string {
  const suites = [...sectionsOf(report).map(suiteOf), coverageSuite(report.coverage.operations)]
  const sum = (of: (one: Suite) => number) => suites.reduce((all, one) => all + of(one), 0)
  const total = attributes({
    tests: sum(({ cases }) => cases.length),
    failures: sum(({ failures }) => failures),
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
  /** Each the lines of a test case. */
  readonly cases: readonly (readonly string[])[]
}

function suiteLines({ name, failures, cases }: Suite): string[] {
  const head = attributes({ name, tests: cases.length, failures, errors: 0, skipped: 0, time: 0 })
  return [`  <testsuite ${head}>`, ...cases.flat().map((line) => `    ${line}`), '  </testsuite>']
}

function suiteOf({ key, none, told, further }: Section): Suite {
  const name = `convsim.${key}`
  if (told.length === 0) {
    const passed = `<testcase ${attributes({ classname: name, name: none, time: 0 })}/>`
    return { name, failures: 0, cases: [[passed]] }
  }
  const more = further === '' ? [] : [{ title: 'further ones', sentence: further, shownBy: 'not kept' }]
  const cases = [...told, ...more].map((one) => failedCase(name, one))
  return { name, failures: cases.length, cases }
}

function failedCase(classname: string, { title, sentence, shownBy }: SectionItem): string[] {
  return [
    `<testcase ${attributes({ classname, name: title, time: 0 })}>`,
    `  <failure ${attributes({ type: classname, message: sentence })}>${escaped(`${sentence}\nRequests: ${shownBy}`)}</failure>`,
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
      ...(lines === '' ? [] : [`  <system-out>${escaped(lines)}</system-out>`]),
      '</testcase>',
    ]
  })
  return { name: classname, failures: 0, cases }
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}="${escaped(String(value))
          .replace(/\s/g, (space) => `&#${space.charCodeAt(0)};`)
          .replaceAll('&#32;', ' ')}"`,
    )
    .join(' ')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML 1.0 has no way to write control characters, half surrogate pairs and two more: they are dropped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
}
