import { renderText as renderPage } from '../../../reports/page/text.ts'
import { toSuitePage } from '../suite-page.ts'
import type { SuiteReport } from '../suite-report.ts'

/** Renders a suite's report for a terminal. */
export function renderText(report: SuiteReport): string {
  return renderPage(toSuitePage(report))
}
