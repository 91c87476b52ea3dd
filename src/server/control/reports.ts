import { maxWorkMs } from '../../base/core/slices.ts'
import { cutText } from '../../base/core/text.ts'
import { textBody } from '../../service/exchange/reply.ts'
import { renderClientReport } from '../reports/client-page.ts'
import { coverageToJson } from '../reports/coverage.ts'
import { findingsToJson } from '../reports/findings.ts'
import { isReportFormat, reportFormats } from '../reports/formats/index.ts'
import { stylesheetSource } from '../reports/page/stylesheet.ts'
import { judgeFailOn, type Report } from '../reports/report.ts'
import { expectedFailOn, type FailCondition, parseFailOn } from '../reports/reported-run.ts'
import { type RetryQuery, readRetryHistory } from '../reports/retries/history.ts'
import { retryRules } from '../reports/retries/rules.ts'
import { pageHeaders } from './console-files.ts'
import { ControlError, type ControlRequest, CustomReply, type HandlerGroup, refuseUnused } from './handler.ts'

export const reportHandlers: HandlerGroup = ({ journal, reporter, sandboxes, served, isTemporary }) => ({
  async getCoverage(request) {
    const { coverage, truncated } = await reporter(request.sandboxFilter)
    return { sandbox: request.sandboxFilter ?? '*', ...coverageToJson(coverage()), truncated }
  },
  async getReport(request) {
    const failOn = readFailOn(request)
    if (failOn instanceof ControlError) return failOn
    const report = await reporter(request.sandboxFilter)
    const refusal = refuseUnused(request.sandboxFilter, sandboxes)
    if (refusal) return refusal
    const next = isTemporary ? rerunAdvice : `Look at the requests: ${consoleUrlOf(request)}`
    return replyWith(failOn ? { ...report, run: { ...report.run, failOn } } : report, request, failOn ?? [], next)
  },
  async getRetries({ sandboxFilter: sandbox, parameters, source }) {
    const query = { ...(parameters.query as unknown as RetryQuery), sandbox } // typed by the control document
    const { findings, unjudged, truncated: isReportTruncated = false } = await reporter(sandbox)
    const history = await readRetryHistory(journal, query, served().idempotentOperations(), source.elapsed)
    // Sandboxes are checked after the journal is read, since reading it may add sandboxes from other replicas.
    const refusal = refuseUnused(sandbox, sandboxes)
    if (refusal) return refusal
    if (!history) return new ControlError(400, tooLongMessage)
    return {
      sandbox: sandbox ?? '*',
      rules: Object.fromEntries(Object.entries(retryRules).map(([name, { rule }]) => [name, rule])),
      problems: { ...findingsToJson(findings.retries, true), notJudged: unjudged },
      ...history,
      truncated: history.truncated || isReportTruncated,
    }
  },
})

/** Reads the conditions in `?failOn=`. Returns undefined if the parameter was not sent. */
function readFailOn({ parameters }: ControlRequest): readonly FailCondition[] | ControlError | undefined {
  const text = parameters.query['failOn']
  if (typeof text !== 'string') return undefined
  return (
    parseFailOn(text) ??
    new ControlError(400, `Invalid request: query failOn: must contain only ${expectedFailOn}; got "${cutText(text)}".`)
  )
}

/** Replies with a report in the requested format. The status is 417 if the report meets any of the conditions. */
function replyWith(report: Report, { parameters }: ControlRequest, conditions: readonly FailCondition[], next: string) {
  const format = String(parameters.query['format'])
  if (!isReportFormat(format)) throw new Error(`the control document allows the unknown format ${format}`)
  const text = renderClientReport(reportFormats[format], report, [next])
  const status = judgeFailOn(report, conditions).length > 0 ? 417 : 200
  const headers = format === 'html' ? pageHeaders(stylesheetSource) : {}
  return new CustomReply({ status, headers, body: textBody(text, reportFormats[format].mediaType) })
}

/** Advice for the report of a temporary simulator, which has usually stopped by the time the report is read. */
const rerunAdvice =
  'To look at the requests, start "npx convsim" and run the test with ' +
  'CONVSIM_BASE_URL=http://127.0.0.1:4010/v1 CONVSIM_CONTROL_URL=http://127.0.0.1:4010/__sim.'

const consoleUrlOf = ({ source: { isEncrypted, headers }, sandboxFilter = '*' }: ControlRequest) =>
  `http${isEncrypted ? 's' : ''}://${headers['host']}/__sim/#/requests?sandbox=${sandboxFilter}`

const tooLongMessage =
  `Finding the attempts at each call took more than ${maxWorkMs} ms and was stopped. ` +
  'Clear the journal before the test begins (DELETE /__sim/requests), or give the test its own sandbox.'
