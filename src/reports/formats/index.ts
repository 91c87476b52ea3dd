/**
 * The formats of a report, one file and one line each.
 * The setting `--report`, its help and the control plane follow from the table; a test compares it with the control document.
 */

import { htmlFormat } from './html.ts'
import { jsonFormat } from './json.ts'
import { junitFormat } from './junit.ts'
import { markdownFormat } from './markdown.ts'
import type { ReportFormat } from './report-format.ts'

/** Every format of a report, by the name in `GET /__sim/report?format=NAME`. */
export const reportFormats = {
  json: jsonFormat,
  junit: junitFormat,
  markdown: markdownFormat,
  html: htmlFormat,
} as const satisfies Record<string, ReportFormat>

/** The extensions of all formats, for a sentence: `.json, .xml (JUnit), .md or .html`. */
export const reportExtensions = Object.values<ReportFormat>(reportFormats)
  .map(({ extension, label }) => (label === undefined ? extension : `${extension} (${label})`))
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1')

/** The name of a format. */
export type ReportFormatName = keyof typeof reportFormats

/** Returns true for the name of a format. */
export function isReportFormat(name: string): name is ReportFormatName {
  return Object.hasOwn(reportFormats, name)
}

/** Returns the format of a file by its extension, in any case; undefined where no format has it, or the name has nothing before it. */
export function formatOfFile(file: string): ReportFormat | undefined {
  const [, extension] = /[^/\\](\.[^./\\]+)$/.exec(file.toLowerCase()) ?? []
  return Object.values(reportFormats).find((format) => format.extension === extension)
}
