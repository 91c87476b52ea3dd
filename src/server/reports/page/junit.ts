import { groupBy } from '../../../base/core/group-by.ts'
import { escapeMarkup, type Page, type TestCase } from './page.ts'

export function renderJunit({ subject, facts = [], cases = [] }: Page): string {
  const name = `convsim: ${subject.title}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name, tests: cases.length, failures: countCases(cases, 'failed'), errors: 0 })}>`,
    `  <!-- ${escapeXml(facts.join(', ')).replace(/-(?=-|$)/g, '- ')} -->`, // "--" must not appear in a comment
    ...[...groupBy(cases, ({ suite }) => suite)].flatMap(([suite, group]) => renderSuite(suite, group)),
    '</testsuites>',
  ].join('\n')
}

const countCases = (cases: readonly TestCase[], state: TestCase['state']) =>
  cases.filter((testCase) => testCase.state === state).length

function renderSuite(suite: string, cases: readonly TestCase[]): string[] {
  const counts = {
    tests: cases.length,
    failures: countCases(cases, 'failed'),
    errors: 0,
    skipped: countCases(cases, 'skipped'),
    time: toSeconds(cases.reduce((sum, { ms = 0 }) => sum + ms, 0)),
  }
  return [
    `  <testsuite ${attributes({ name: `convsim.${suite}`, ...counts })}>`,
    ...cases.flatMap((testCase) => renderCase(testCase).map((line) => `    ${line}`)),
    '  </testsuite>',
  ]
}

const toSeconds = (ms: number) => Math.round(ms) / 1000

function renderCase({ suite, name, state, text, type, message = text, ms = 0 }: TestCase): string[] {
  const classname = `convsim.${suite}`
  const head = `<testcase ${attributes({ classname, name, time: toSeconds(ms) })}`
  if (state === 'passed' && text === '') return [`${head}/>`]
  const bodies = {
    skipped: `<skipped ${attributes({ message })}/>`,
    failed: `<failure ${attributes({ type: type ?? classname, message })}>${escapeXml(text)}</failure>`,
    passed: `<system-out>${escapeXml(text)}</system-out>`,
  }
  return [`${head}>`, `  ${bodies[state]}`, '</testcase>']
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  const encodeSpace = (space: string) => (space === ' ' ? space : `&#${space.charCodeAt(0)};`)
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value)).replace(/\s/g, encodeSpace)}"`)
    .join(' ')
}

/** Escapes text for XML and removes the characters that XML 1.0 cannot represent. */
function escapeXml(text: string): string {
  const clean = text.toWellFormed().replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
  return escapeMarkup(clean).replaceAll('&#39;', "'") // so that commands can be copied from the file
}
