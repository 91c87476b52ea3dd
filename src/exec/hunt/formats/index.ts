import { renderReport } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
import { renderText } from '../../../reports/page/text.ts'
import type { HuntReport } from '../hunt-report.ts'
import { toHuntPage } from './hunt-page.ts'
import { huntToJson } from './json.ts'

/** Renders a hunt's report in a format of `--report`. */
export function renderHuntReport(format: ReportFormat, report: HuntReport): string {
  return renderReport(
    format,
    () => toHuntPage(report),
    () => huntToJson(report),
  )
}

/** Renders a hunt's report for a terminal. */
export const renderHuntText = (report: HuntReport): string => renderText(toHuntPage(report))
