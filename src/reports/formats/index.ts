/**
 * The formats of every report, one line each; `page/` has a renderer for each but JSON. The setting `--report`, its
 * help and the control plane follow from the table; a test compares it with the control document.
 */

import type { JsonObject } from '../../core/json.ts'
import { renderGithub } from '../page/github.ts'
import { renderHtml } from '../page/html.ts'
import { renderJunit } from '../page/junit.ts'
import { renderMarkdown } from '../page/markdown.ts'
import type { Page } from '../page/page.ts'
import { renderText } from '../page/text.ts'
import type { ReportFormat } from './report-format.ts'

/** Every format of a report, by the name in `GET /__sim/report?format=NAME`. */
export const reportFormats = {
  json: { mediaType: 'application/json; charset=utf-8', extension: '.json' },
  junit: {
    mediaType: 'application/xml; charset=utf-8',
    extension: '.xml',
    label: 'JUnit',
    render: renderJunit,
  },
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

/** Returns the format of a file by its extension, in any case, if the name has more and the format exists. */
export function formatOfFile(file: string): ReportFormat | undefined {
  const [, extension] = /[^/\\](\.[^./\\]+)$/.exec(file.toLowerCase()) ?? []
  const formats = Object.values<ReportFormat>(reportFormats)
  return formats.find((format) => extension !== undefined && format.extension === extension)
}

/** Renders a report in a format: as its page, or as its own JSON document. */
export function renderReport({ render }: ReportFormat, toPage: () => Page, toJson: () => JsonObject): string {
  return `${render ? render(toPage()) : JSON.stringify(toJson(), null, 2)}\n`
}

/** The renderers of `--format`, with which a command prints its findings. */
const printers = { text: renderText, github: renderGithub, markdown: renderMarkdown }

/** Renders what a command prints in a form of `--format`: its pages one after the other, or a JSON document. */
export function renderPrinted(
  format: keyof typeof printers | 'json',
  toPages: () => readonly Page[],
  toJson: () => JsonObject,
): string {
  if (format === 'json') return JSON.stringify(toJson(), null, 2)
  return toPages()
    .map(printers[format])
    .join(format === 'markdown' ? '\n\n' : '\n')
}
