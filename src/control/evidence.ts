import { isReportFormat, reportFormats } from '../reports/formats/index.ts'
import { coverageToJson, findingsToJson } from '../reports/formats/json.ts'
import { type ControlHandler, type ControlRequest, CustomReply } from './control.ts'
import type { Seen } from './seen.ts'

/** `GET coverage`, `GET manners`, `GET report`: what the clients of a sandbox did, or of all that there were. */
export function evidenceHandlers({ reporter }: Seen): Record<string, ControlHandler> {
  return {
    getCoverage: (request) => ({
      sandbox: nameOf(request),
      ...coverageToJson(reporter.coverage(whoseOf(request))),
    }),
    getManners(request) {
      const { rules, ...found } = reporter.manners(whoseOf(request))
      return { sandbox: nameOf(request), rules: { ...rules }, ...findingsToJson(found) }
    },
    getReport(request) {
      const format = String(request.parameters.query['format'])
      if (!isReportFormat(format)) throw new Error(`the document lets the format ${format} pass`)
      const { mediaType, render } = reportFormats[format]
      return new CustomReply({ body: render(reporter.report(whoseOf(request))), mediaType })
    },
  }
}

const nameOf = ({ parameters }: ControlRequest) => String(parameters.query['sandbox'])

/** `*` is everybody. */
const whoseOf = (request: ControlRequest) => (nameOf(request) === '*' ? undefined : nameOf(request))
