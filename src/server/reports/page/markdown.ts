import type { Page, PageBlock, PageFinding } from './page.ts'

/** The maximum length of a rendered list of findings, in characters. GitHub limits the summary of a step to 1 MiB. */
const maxLength = 700_000

export function renderMarkdown(page: Page): string {
  const { subject, heading, verdict, summary = [], facts = [], failed = [], sections } = page
  const title = [subject.title, subject.version].filter((part) => part !== '').join(' ')
  return [
    `# ${escapeMarkdown(`${title}: ${heading}`)}`,
    ...(facts.length === 0 ? [] : [escapeMarkdown(`${facts.join(', ')}.`)]),
    `**${escapeMarkdown(verdict.text)}**`,
    ...(summary.length === 0 ? [] : [escapeMarkdown(summary.join(' '))]),
    ...failed.map((sentence) => `**--fail-on:** ${escapeMarkdown(sentence)}.`),
    ...sections.flatMap(({ title, blocks, isFolded }) =>
      isFolded ? [] : [`## ${escapeMarkdown(title)}`, ...blocks.flatMap(renderBlock)],
    ),
  ].join('\n\n')
}

function renderBlock(block: PageBlock): readonly string[] {
  switch (block.kind) {
    case 'lines':
      return renderLines(block.lines)
    case 'table':
      return [renderTable(block.head, block.rows)]
    case 'findings':
      return renderFindings(block.findings)
  }
}

function renderLines(lines: readonly string[]): string[] {
  const escaped = lines.map(escapeMarkdown)
  return escaped.length > 1 ? [escaped.map((line) => `- ${line}`).join('\n')] : escaped
}

function renderFindings(findings: readonly PageFinding[]): string[] {
  const parts: string[] = []
  let length = 0
  for (const [index, finding] of findings.entries()) {
    const part = renderFinding(finding)
    length += part.length
    if (length > maxLength) return [...parts, `Findings listed only in the other formats: ${findings.length - index}.`]
    parts.push(part)
  }
  return parts
}

function renderFinding({ severity, title, sentence, notes = [], details = [] }: PageFinding): string {
  return [
    `### ${escapeMarkdown(title)}`,
    `**${severity}**: ${escapeMarkdown(sentence)}`,
    ...renderLines(notes),
    ...details.flatMap(({ title, lines }) =>
      title === ''
        ? [fence(lines, 'sh')]
        : [`<details><summary>${escapeMarkdown(title)}</summary>`, fence(lines), '</details>'],
    ),
  ].join('\n\n')
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** Puts lines in a code fence longer than any run of backticks in them. Replaces control characters with spaces. */
function fence(lines: readonly string[], language = ''): string {
  const text = lines.flatMap((line) => line.split('\n').map(replaceControls)).join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}

const replaceControls = (text: string) => text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

function escapeMarkdown(text: string): string {
  return replaceControls(text)
    .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
    .replace(/[\\`*_[\]|~$]|^[#+=-]/g, '\\$&')
}
