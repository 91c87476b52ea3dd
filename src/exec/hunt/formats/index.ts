import type { ReportFormatName } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
import { pickRenderer } from '../../report/formats/index.ts'
import type { HuntReport } from '../hunt-report.ts'
import { renderHuntHtml } from './html.ts'
import { renderHuntJson } from './json.ts'
import { renderHuntJunit } from './junit.ts'
import { renderHuntMarkdown } from './markdown.ts'

/** The renderer of a hunt's report for each format of `--report`. */
const renderers: Readonly<Record<ReportFormatName, (report: HuntReport) => string>> = {
  json: renderHuntJson,
  junit: renderHuntJunit,
  markdown: renderHuntMarkdown,
  html: renderHuntHtml,
}

/** Renders a hunt's report in a format of `--report`. */
export function renderHuntReport(format: ReportFormat, report: HuntReport): string {
  return pickRenderer(renderers, format)(report)
}
