import { renderText } from '../../../reports/page/text.ts'
import type { HuntReport } from '../hunt-report.ts'
import { toHuntPage } from './hunt-page.ts'

/** Renders a hunt's report for a terminal. */
export function renderHuntText(report: HuntReport): string {
  return renderText(toHuntPage(report))
}
