import { coverageAsJson, foundAsJson } from '../reports/formats/json.ts'
import { isReportForm, reportForms } from '../reports/formats/render.ts'
import type { Reporter } from '../reports/model.ts'
import { type ControlHandlers, CustomReply } from './handler.ts'

/** Dependencies of `reportHandlers`. */
export interface ReportHandlerDeps {
  readonly reporter: Reporter
}

/** Handles `GET coverage`, `GET manners` and `GET report`: the evidence of one sandbox's clients, or of all. */
export function reportHandlers({
  reporter,
}: ReportHandlerDeps): Pick<ControlHandlers, 'getCoverage' | 'getManners' | 'getReport'> {
  return {
    getCoverage: (request) => ({
      sandbox: request.sandboxFilter ?? '*',
      ...coverageAsJson(reporter.coverage(request.sandboxFilter)),
    }),
    getManners(request) {
      const { rules, ...found } = reporter.manners(request.sandboxFilter)
      return { sandbox: request.sandboxFilter ?? '*', rules: { ...rules }, ...foundAsJson(found) }
    },
    getReport(request) {
      const format = String(request.parameters.query['format'])
      if (!isReportForm(format)) throw new Error(`the document lets the format ${format} pass`)
      const { mediaType, render } = reportForms[format]
      return new CustomReply({ body: render(reporter.report(request.sandboxFilter)), mediaType })
    },
  }
}
