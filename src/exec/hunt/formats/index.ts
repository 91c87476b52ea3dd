import { renderReport } from '../../../reports/formats/index.ts'
import type { ReportFormat } from '../../../reports/formats/report-format.ts'
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
