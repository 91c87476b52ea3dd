import type { OperationCoverage } from '../coverage-view.ts'
import { type Report, summarizeReport } from '../report.ts'
import { describeRun } from '../reported-run.ts'
import { createSections, outOfReachSentence, type Section } from '../sections.ts'
import type { ReportFormat } from './report-format.ts'

/** Markdown for the summary of a CI step. */
export const markdownFormat: ReportFormat = {
  mediaType: 'text/markdown; charset=utf-8',
  extension: '.md',
  render: renderMarkdown,
}

function renderMarkdown(report: Report): string {
  const { contract, coverage } = report
  return `${[
    `# ${escapeMarkdown(contract.title)} ${escapeMarkdown(contract.version)}: what the client did`,
    escapeMarkdown(`${describeRun(report.run).join(', ')}.`),
    escapeMarkdown(`${summarizeReport(report)}.`),
    ...createSections(report).flatMap(renderSection),
    '## Coverage',
    `${coverage.met} of ${coverage.points} items of the contract were covered: ${coverage.percent} %.`,
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
    ...coverage.operations.filter(({ missing }) => missing.length > 0).map(renderMissing),
    ...coverage.operations
      .filter(({ outOfReach }) => outOfReach.length > 0)
      .map(({ operation, outOfReach }) => escapeMarkdown(`${operation}: ${outOfReachSentence(outOfReach)}`)),
  ].join('\n\n')}\n`
}

function renderSection({ title, description, emptySentence, items, further }: Section): string[] {
  if (items.length === 0) return [`## ${title}`, escapeMarkdown(emptySentence)]
  const rows = items.map(({ title: where, sentence, requests, trace }) => [
    where,
    sentence,
    `${requests}; first: ${trace}`,
  ])
  return [
    `## ${title}`,
    escapeMarkdown(description),
    table(['where', 'what', 'requests'], rows),
    ...(further === '' ? [] : [escapeMarkdown(further)]),
  ]
}

function renderMissing({ operation, missing }: OperationCoverage): string {
  const lines = missing.map(({ sentence }) => `- ${escapeMarkdown(sentence)}`).join('\n')
  return `<details><summary>${escapeMarkdown(operation)}: ${missing.length} missing</summary>\n\n${lines}\n\n</details>`
}

/** Writes a table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map((cells) => line(cells.map(escapeMarkdown))),
  ].join('\n')
}

/** Escapes a text for Markdown and HTML, on one line. */
export function escapeMarkdown(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
    .replace(/[\\`*_[\]|~$]/g, '\\$&')
}
