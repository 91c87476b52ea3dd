import type { ReportFormatName } from '../../../reports/formats/index.ts'
import { reportFormats } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
import type { SuiteReport } from '../suite-report.ts'
import { renderHtml } from './html.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'

/** The renderer of a suite's report for each format of `--report`. */
const renderers: Readonly<Record<ReportFormatName, (report: SuiteReport) => string>> = {
  json: renderJson,
  junit: renderJunit,
  markdown: renderMarkdown,
  html: renderHtml,
}

/** Renders a suite's report in a format of `--report`. */
export function renderSuiteReport(format: ReportFormat, report: SuiteReport): string {
  return pickRenderer(renderers, format)(report)
}

/** Returns the renderer for a format of `--report`. */
export function pickRenderer<T>(of: Readonly<Record<ReportFormatName, T>>, format: ReportFormat): T {
  const names = Object.keys(of) as ReportFormatName[] // the keys of the table
  const name = names.find((one) => reportFormats[one] === format)
  if (!name) throw new Error('a format of reports has no renderer')
  return of[name]
}
