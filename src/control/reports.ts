import { textBody } from '../exchange/body.ts'
import { isReportFormat, reportFormats } from '../reports/formats/index.ts'
import { coverageToJson, findingsToJson } from '../reports/formats/json.ts'
import type { Reporter } from '../reports/report.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { type ControlHandlers, CustomReply } from './handler.ts'
import { refuseUnused } from './unused-sandbox.ts'

/** Dependencies of `reportHandlers`. */
export interface ReportHandlerDeps {
  readonly reporter: Reporter
  readonly sandboxes: Sandboxes
}

/** Handles `GET coverage`, `GET manners` and `GET report`, for one sandbox or for all. */
export function reportHandlers({
  reporter,
  sandboxes,
}: ReportHandlerDeps): Pick<ControlHandlers, 'getCoverage' | 'getManners' | 'getReport'> {
  return {
    getCoverage: async (request) => ({
      sandbox: request.sandboxFilter ?? '*',
      ...coverageToJson(await reporter.coverage(request.sandboxFilter)),
    }),
    getManners(request) {
      const refusal = refuseUnused(request.sandboxFilter, sandboxes)
      if (refusal) return refusal
      const { rules, ...found } = reporter.manners(request.sandboxFilter)
      return { sandbox: request.sandboxFilter ?? '*', rules: { ...rules }, ...findingsToJson(found) }
    },
    async getReport(request) {
      const refusal = refuseUnused(request.sandboxFilter, sandboxes)
      if (refusal) return refusal
      const format = String(request.parameters.query['format'])
      if (!isReportFormat(format)) throw new Error(`the document lets the format ${format} pass`)
      const { mediaType, render } = reportFormats[format]
      const report = await reporter.report(request.sandboxFilter)
      return new CustomReply({ body: textBody(render(report), mediaType) })
    },
  }
}
