import { relative } from 'node:path'
import type { Page, PageFinding } from './page.ts'

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const

/** Renders a page as GitHub's workflow commands, which annotate a run or the lines of a pull request. */
export function renderGithub({ sections, failed = [], verdict, summary = [] }: Page): string {
  const blocks = sections.flatMap((section) => section.blocks)
  return [
    ...blocks.flatMap((block) => (block.kind === 'findings' ? block.findings.map(annotate) : [])),
    ...failed.map((sentence) => `::error::${escapeMessage(`--fail-on: ${sentence}`)}`),
    ...[verdict.text, ...summary].map(escapeLine),
  ].join('\n')
}

/** Returns `::error file=spec/openapi.yaml,line=12,col=5::must be a string`, with a path as GitHub expects it. */
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

/** Escapes a line of the log that is no command: GitHub looks for `::` at its beginning, and for `##[` anywhere. */
const escapeLine = (text: string) =>
  text
    .replace(/\p{Cc}/gu, ' ')
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '## [')
