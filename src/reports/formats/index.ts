import type { Report } from '../report.ts'
import { htmlReport } from './html.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { markdownReport } from './markdown.ts'

/** A form that a report can have. */
interface Form {
  readonly mediaType: string
  /** Of a file of this form. */
  readonly extension: string
  render(report: Report): string
}

/** Every form of a report, by the name that `?format=` has. */
export const reportForms = {
  json: {
    mediaType: 'application/json; charset=utf-8',
    extension: '.json',
    render: (report) => `${JSON.stringify(jsonReport(report), null, 2)}\n`,
  },
  junit: { mediaType: 'application/xml; charset=utf-8', extension: '.xml', render: junitReport },
  markdown: { mediaType: 'text/markdown; charset=utf-8', extension: '.md', render: markdownReport },
  html: { mediaType: 'text/html; charset=utf-8', extension: '.html', render: htmlReport },
} as const satisfies Record<string, Form>

export type ReportForm = keyof typeof reportForms

export function isReportForm(name: string): name is ReportForm {
  return Object.hasOwn(reportForms, name)
}

/** The form of a file of this name, by its extension; undefined for one that no form has. */
export function formOfFile(name: string): Form | undefined {
  return Object.values(reportForms).find(({ extension }) => name.toLowerCase().endsWith(extension))
}
