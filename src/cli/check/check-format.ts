import { relative } from 'node:path'
import { formatFinding } from '../../documents/finding.ts'
import type { CheckResult } from './check.ts'

/** The forms in which `convsim check` prints its results, by the value of `--format`. */
const formats = {
  text: formatAsText,
  json: formatAsJson,
  github: formatForGithub,
  markdown: formatAsMarkdown,
} as const

/** Formats the results of `convsim check`. */
export function formatChecks(results: readonly CheckResult[], format: keyof typeof formats): string {
  return formats[format](results)
}

function formatAsText(results: readonly CheckResult[]): string {
  return results
    .flatMap((result) => [...result.findings.map(formatFinding), formatSummary(result)])
    .join('\n')
}

function formatAsJson(results: readonly CheckResult[]): string {
  const files = results.map(({ file, findings, summary }) => ({
    file,
    ok: summary !== '',
    summary,
    findings: findings.map(({ severity, place, message }) => ({ severity, ...locate(place), message })),
  }))
  return JSON.stringify({ ok: files.every(({ ok }) => ok), files }, null, 2)
}

/** Formats findings as a Markdown list, for a summary of a pipeline. */
function formatAsMarkdown(results: readonly CheckResult[]): string {
  return results
    .flatMap((result) => [
      `- ${formatSummary(result)}`,
      ...result.findings.map(
        ({ severity, place, message }) => `  - **${severity}** \`${place}\`: ${message}`,
      ),
    ])
    .join('\n')
}

/** Formats findings as GitHub's workflow commands, which annotate the lines of a pull request. */
function formatForGithub(results: readonly CheckResult[]): string {
  return results
    .flatMap((result) => [
      ...result.findings.map(({ severity, place, message }) =>
        formatWorkflowCommand(severity === 'info' ? 'notice' : severity, place, message),
      ),
      formatSummary(result),
    ])
    .join('\n')
}

function formatSummary({ file, summary }: CheckResult): string {
  return summary ? `${file}: ok, ${summary}` : `${file}: not fit to be served`
}

/** Returns `::error file=spec/openapi.yaml,line=12,col=5::must be a string`; the file is relative to the working folder, since GitHub expects it so. */
function formatWorkflowCommand(
  severity: 'error' | 'warning' | 'notice',
  place: string,
  message: string,
): string {
  const { place: file, line, column } = locate(place)
  if (line === undefined) return `::${severity}::${escapeMessage(`${file}: ${message}`)}`
  const path = relative('', file).replaceAll('\\', '/')
  return `::${severity} file=${escapeProperty(path)},line=${line},col=${column}::${escapeMessage(message)}`
}

/** Splits `spec/openapi.yaml:12:5` into its parts; a place without a line, such as `--scenario`, stays whole. */
function locate(place: string): { place: string; line?: number; column?: number } {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(place) ?? []
  return file === undefined ? { place } : { place: file, line: Number(line), column: Number(column) }
}

const escapeMessage = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string) => escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
