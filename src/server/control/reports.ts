import { cutText } from '../../base/core/text.ts'
import { textBody } from '../../service/exchange/body.ts'
import { renderClientReport } from '../reports/client-page.ts'
import { judgeFailOn } from '../reports/fail-on.ts'
import { isReportFormat, reportFormats } from '../reports/formats/index.ts'
import { coverageToJson } from '../reports/formats/json.ts'
import { stylesheetSource } from '../reports/page/stylesheet.ts'
import { expectedFailOn, type FailCondition, parseFailOn } from '../reports/parse-fail-on.ts'
import type { Report } from '../reports/report.ts'
import { pageHeaders } from './console-files.ts'
import type { ControlDeps } from './deps.ts'
import { ControlError, type ControlHandlers, type ControlRequest, CustomReply, refuseUnused } from './handler.ts'

/** Handles `GET coverage` and `GET report`, for one sandbox or for all. */
export function reportHandlers({ reporter, sandboxes }: ControlDeps) {
  return {
    async getCoverage(request) {
      const { truncated, ...coverage } = await reporter.coverage(request.sandboxFilter)
      const sandbox = request.sandboxFilter ?? '*'
      return { sandbox, ...coverageToJson(coverage), ...(truncated && { truncated }) }
    },
    async getReport(request) {
      const failOn = readFailOn(request)
      if (failOn instanceof ControlError) return failOn
      const report = await reporter.report(request.sandboxFilter)
      const refusal = refuseUnused(request.sandboxFilter, sandboxes)
      if (refusal) return refusal
      return replyWith(failOn ? { ...report, run: { ...report.run, failOn } } : report, request, failOn ?? [])
    },
  } satisfies Partial<ControlHandlers>
}

/** Reads the conditions of `?failOn=`; undefined without it, which leaves those of `--fail-on` in the report. */
function readFailOn({ parameters }: ControlRequest): readonly FailCondition[] | ControlError | undefined {
  const text = parameters.query['failOn']
  if (typeof text !== 'string') return undefined
  return (
    parseFailOn(text) ??
    new ControlError(400, `Invalid request: query failOn: must be ${expectedFailOn}; got "${cutText(text)}".`)
  )
}

/** Renders a report in the requested format, with the status 417 if it meets one of the conditions. */
function replyWith(report: Report, { parameters }: ControlRequest, conditions: readonly FailCondition[]) {
  const format = String(parameters.query['format'])
  if (!isReportFormat(format)) throw new Error(`the document lets the format ${format} pass`)
  const text = renderClientReport(reportFormats[format], report)
  const status = judgeFailOn(report, conditions).length > 0 ? 417 : 200
  const headers = format === 'html' ? pageHeaders(stylesheetSource) : {}
  return new CustomReply({ status, headers, body: textBody(text, reportFormats[format].mediaType) })
}
