/**
 * The formats of every report, one line each; `page/` has a renderer for each but JSON. The setting `--report`, its
 * help and the control plane follow from the table; a test compares it with the control document.
 */

import { renderGithub } from '../page/github.ts'
import { renderHtml } from '../page/html.ts'
import { renderJunit } from '../page/junit.ts'
import { renderMarkdown } from '../page/markdown.ts'
import type { Page } from '../page/page.ts'
import { renderText } from '../page/text.ts'

export interface ReportFormat {
  /** The `Content-Type` of `GET /__sim/report`. */
  readonly mediaType: string
  /** The extension in lower case: `.xml`; without one `--report NAME=FILE` names the format. */
  readonly extension?: string
  /** The name of a format whose extension does not say it: `JUnit` for `.xml`; default: none. */
  readonly label?: string
  readonly render: (page: Page) => string
}

const renderJson = ({ json }: Page) => JSON.stringify(json, null, 2)

/** Every format of a report, by the name in `GET /__sim/report?format=NAME`. */
export const reportFormats = {
  json: { mediaType: 'application/json; charset=utf-8', extension: '.json', render: renderJson },
  junit: { mediaType: 'application/xml; charset=utf-8', extension: '.xml', label: 'JUnit', render: renderJunit },
  markdown: { mediaType: 'text/markdown; charset=utf-8', extension: '.md', render: renderMarkdown },
  html: { mediaType: 'text/html; charset=utf-8', extension: '.html', render: renderHtml },
  github: { mediaType: 'text/plain; charset=utf-8', render: renderGithub },
} as const satisfies Record<string, ReportFormat>

/** The extensions of all formats, for a sentence: `.json, .xml (JUnit), .md or .html`. */
export const reportExtensions = Object.values<ReportFormat>(reportFormats)
  .flatMap(({ extension = [], label }) => (label === undefined ? extension : `${extension} (${label})`))
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1')

export function isReportFormat(name: string): name is keyof typeof reportFormats {
  return Object.hasOwn(reportFormats, name)
}

/** A file that a report is written to at the end, and the report's format. */
export interface ReportTarget {
  readonly file: string
  readonly format: ReportFormat
}

/** Parses `--report`: `out/report.html,markdown=summary`. Returns undefined if a part has no format or no name. */
export function parseReportTargets(text: string): readonly ReportTarget[] | undefined {
  const targets = text.split(',').map((part) => parseTarget(part.trim()))
  return targets.every((target) => target !== undefined) ? targets : undefined
}

function parseTarget(text: string): ReportTarget | undefined {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  if (isReportFormat(name)) {
    const file = text.slice(at + 1)
    return file === '' ? undefined : { file, format: reportFormats[name] }
  }
  const format = formatOfFile(text)
  return format && { file: text, format }
}

/** Returns the format of a file by its extension, in any case, if the name has more and the format exists. */
function formatOfFile(file: string): ReportFormat | undefined {
  const [, extension] = /[^/\\](\.[^./\\]+)$/.exec(file.toLowerCase()) ?? []
  const formats = Object.values<ReportFormat>(reportFormats)
  return formats.find((format) => extension !== undefined && format.extension === extension)
}

/** Renders the page of a report in a format, with a line end. */
export function renderReport({ render }: ReportFormat, page: Page): string {
  return `${render(page)}\n`
}

/** The renderers of `--format`, with which a command prints its findings. */
const printers = { text: renderText, github: renderGithub, markdown: renderMarkdown }

export type PrintedFormat = keyof typeof printers | 'json'

/** Renders what a command prints: its pages one after the other, or a JSON document. */
export function renderPrinted(format: PrintedFormat, pages: readonly Page[], json: object): string {
  if (format === 'json') return JSON.stringify(json, null, 2)
  return pages.map(printers[format]).join(format === 'markdown' ? '\n\n' : '\n')
}
