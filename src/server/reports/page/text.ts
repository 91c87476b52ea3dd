import { relative } from 'node:path'
import { escapeControls } from '../../../base/core/text.ts'
import type { Page, PageBlock, PageFinding } from './page.ts'

const maxDetailLines = 12

/** Renders a page for a terminal. People read the end first, so sections are reversed, and the summary is last. */
export function renderText({ sections, verdict, summary = [], text }: Page): string {
  if (text) return text.map(escapeControls).join('\n')
  const shown = sections.filter(({ isFolded }) => !isFolded)
  const hasTitles = shown.length > 1
  const parts = shown.toReversed().flatMap(({ title, blocks }) => {
    const lines = blocks.flatMap(renderBlock)
    return hasTitles ? [`${title}:`, ...lines, ''] : lines
  })
  return [...parts, verdict.text, ...summary].map(escapeControls).join('\n')
}

function renderBlock(block: PageBlock): readonly string[] {
  switch (block.kind) {
    case 'lines':
      return block.lines
    case 'table':
      return alignColumns([block.head, ...block.rows])
    case 'findings': {
      const { findings, cut } = block
      const more = cut && findings.length > cut.after ? findings.length - cut.after : 0
      const shown = findings.slice(0, findings.length - more)
      return [...shown.flatMap(renderFinding), ...(more > 0 ? [`  ... and ${more} more, which ${cut?.rest}.`] : [])]
    }
  }
}

function renderFinding({ title, severity, sentence, notes = [], details = [] }: PageFinding): string[] {
  return [
    `  ${title}: ${severity}: ${sentence}`,
    ...notes.map((line) => `    ${line}`),
    ...details
      .filter(({ isAside }) => !isAside)
      .flatMap(({ title, lines, focus = Math.max(0, lines.length - maxDetailLines) }) =>
        title === ''
          ? lines.map((line) => `    ${line}`)
          : [`    ${title}:`, ...lines.slice(focus, focus + maxDetailLines).map((line) => `    | ${line}`)],
      ),
  ]
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? []
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const

/** Renders a page as GitHub workflow commands, which annotate a run or the lines of a pull request. */
export function renderGithub({ sections, failed = [], verdict, summary = [] }: Page): string {
  const blocks = sections.flatMap((section) => section.blocks)
  return [
    ...blocks.flatMap((block) => (block.kind === 'findings' ? block.findings.map(annotate) : [])),
    ...failed.map((sentence) => `::error::${escapeMessage(`--fail-on: ${sentence}`)}`),
    ...[verdict.text, ...summary].map(escapeLine),
  ].join('\n')
}

/** Formats a finding: `::error file=openapi.yaml,line=12,col=5::must be a string`. GitHub expects a relative path. */
function annotate({ severity, title, sentence, place }: PageFinding): string {
  if (place === undefined) return `::${levels[severity]}::${escapeMessage(`${title}: ${sentence}`)}`
  const { file, line, column } = place
  const path = escapeProperty(relative('', file).replaceAll('\\', '/'))
  return `::${levels[severity]} file=${path},line=${line},col=${column}::${escapeMessage(sentence)}`
}

const escapeMessage = (text: string) =>
  text
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replace(/\p{Cc}/gu, ' ')

const escapeProperty = (text: string) => escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** Escapes a log line that is not a command. GitHub looks for `::` at the start of a line, and for `##[` anywhere. */
const escapeLine = (text: string) =>
  text
    .replace(/\p{Cc}/gu, ' ')
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '## [')
