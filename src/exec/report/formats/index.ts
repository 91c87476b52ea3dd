import { renderReport } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
import { renderText as renderPage } from '../../../reports/page/text.ts'
import { toSuitePage } from '../suite-page.ts'
import type { SuiteReport } from '../suite-report.ts'
import { suiteToJson } from './json.ts'

/** Renders a suite's report in a format of `--report`. */
export function renderSuiteReport(format: ReportFormat, report: SuiteReport): string {
  return renderReport(
    format,
    () => toSuitePage(report),
    () => suiteToJson(report),
  )
}

/** Renders a suite's report for a terminal. */
export const renderText = (report: SuiteReport): string => renderPage(toSuitePage(report))
