import type { OperationCoverage } from '../coverage-view.ts'
import { type Report, summaryOf } from '../report.ts'
import { beyondWords, type Section, sectionsOf } from '../sections.ts'

/** Markdown, as the summary of a CI step shows it. */
export function markdownReport(report: Report): string {
  const { contract, coverage } = report
  return `${[
    `# ${escaped(contract.title)} ${escaped(contract.version)}: what the client did`,
    escaped(`${summaryOf(report)}.`),
    ...sectionsOf(report).flatMap(chapter),
    '## Coverage',
    `${coverage.met} of ${coverage.points} points of the contract were met: ${coverage.percent} %.`,
    table(
      ['operation', 'requests', 'met', 'of', 'covered'],
      coverage.operations.map(({ operation, requests, met, points, percent }) => [
        operation,
        String(requests),
        String(met),
        String(points),
        `${percent} %`,
      ]),
    ),
    ...coverage.operations.filter(({ missing }) => missing.length > 0).map(missingOf),
    ...coverage.operations
      .filter(({ outOfReach }) => outOfReach.length > 0)
      .map(({ operation, outOfReach }) => escaped(`${operation}: ${beyondWords(outOfReach)}`)),
  ].join('\n\n')}\n`
}

function chapter({ title, description, none, told, further }: Section): string[] {
  if (told.length === 0) return [`## ${title}`, escaped(none)]
  const rows = told.map((one) => [one.title, one.sentence, one.shownBy])
  return [
    `## ${title}`,
    escaped(description),
    table(['where', 'what', 'requests'], rows),
    ...(further === '' ? [] : [escaped(further)]),
  ]
}

function missingOf({ operation, missing }: OperationCoverage): string {
  const lines = missing.map(({ sentence }) => `- ${escaped(sentence)}`).join('\n')
  return `<details><summary>${escaped(operation)}: ${missing.length} missing</summary>\n\n${lines}\n\n</details>`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((cells) => line(cells.map(escaped)))].join(
    '\n',
  )
}

/** Text that means nothing to Markdown and HTML, on one line. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
    .replace(/[\\`*_[\]|~$]/g, '\\$&')
}
