import { renderReport } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
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
