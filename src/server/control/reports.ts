import type { JsonObject } from '../../base/core/json.ts'
import { maxWorkMs } from '../../base/core/slices.ts'
import { cutText } from '../../base/core/text.ts'
import { redactText } from '../../base/redaction/redact.ts'
import { textBody } from '../../service/exchange/body.ts'
import { deliveryToJson, roundToMicroseconds } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { renderClientReport } from '../reports/client-page.ts'
import { coverageToJson } from '../reports/coverage-view.ts'
import { findingsToJson } from '../reports/findings.ts'
import { isReportFormat, reportFormats } from '../reports/formats/index.ts'
import { retryRules } from '../reports/judge-retry.ts'
import { stylesheetSource } from '../reports/page/stylesheet.ts'
import { expectedFailOn, type FailCondition, parseFailOn } from '../reports/parse-fail-on.ts'
import { judgeFailOn, type Report } from '../reports/report.ts'
import type { Reporter } from '../reports/reporter.ts'
import { type ListedAttempt, type ListedChain, type RetryQuery, readRetryHistory } from '../reports/retry-history.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { pageHeaders } from './console-files.ts'
import {
  ControlError,
  type ControlHandlers,
  type ControlRequest,
  CustomReply,
  refuseUnused,
  type ServedInputs,
} from './handler.ts'

/** Handles `GET coverage` and `GET report`, for one sandbox or for all. */
export function reportHandlers(reporter: Reporter, sandboxes: Sandboxes) {
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

const maxInsertIdLength = 200

const tooLongMessage =
  `Finding the attempts of each call took more than ${maxWorkMs} ms and was given up. ` +
  'Forget the requests before the test begins (DELETE /__sim/requests), or give the test a sandbox of its own.'

const noHistory = { chains: [], further: 0, truncated: false }

/** Handles `GET retries`: the retry rules, what broke them, and the attempts of each call that failed. */
export function retryHandlers(journal: Journal, reporter: Reporter, sandboxes: Sandboxes, served: () => ServedInputs) {
  return {
    async getRetries({ sandboxFilter: sandbox, parameters, source }) {
      const query = { ...(parameters.query as unknown as RetryQuery), sandbox } // typed by the control document
      const { truncated: hasLoss = false, ...problems } = await reporter.retries(sandbox)
      const history =
        query.limit === 0
          ? noHistory
          : await readRetryHistory(journal, query, served().idempotentOperations(), source.elapsed)
      // After the journal was read, which may bring sandboxes of other replicas.
      const refusal = refuseUnused(sandbox, sandboxes)
      if (refusal) return refusal
      if (!history) return new ControlError(400, tooLongMessage)
      const { chains, further, truncated } = history
      return {
        sandbox: sandbox ?? '*',
        rules: { ...retryRules },
        problems: findingsToJson(problems, true),
        chains: chains.map(chainToJson),
        further,
        truncated: truncated || hasLoss,
      }
    },
  } satisfies Partial<ControlHandlers>
}

function chainToJson({ first, attempts, earlier }: ListedChain): JsonObject {
  const { id, sandbox, operation, request } = first.entry
  const { method, path, query } = request
  return {
    id,
    sandbox,
    ...(operation !== undefined && { operation }),
    method,
    path,
    query,
    ...insertIdToJson(first),
    parallel: attempts.at(-1)?.chain.isParallel === true,
    attempts: attempts.map(attemptToJson),
    earlier,
  }
}

function attemptToJson(listed: ListedAttempt): JsonObject {
  const { entry, attempt, waitedMs, faults } = listed
  const { id, number, at, now, receivedAt, endedAt, response, delivery, damage } = entry
  return {
    id,
    number,
    at: new Date(at).toISOString(),
    now: new Date(now).toISOString(),
    tookMs: roundToMicroseconds(endedAt - receivedAt),
    status: response.status,
    outcome: attempt.outcome,
    delivery: deliveryToJson(delivery),
    damage: [...damage],
    ...insertIdToJson(listed),
    ...(waitedMs !== undefined && { waitedMs: Math.max(0, Math.round(waitedMs)) }),
    ...(attempt.retryAfterMs !== undefined && { retryAfterMs: attempt.retryAfterMs }),
    findings: faults.map(({ rule, sentence }) => ({ rule, sentence })),
  }
}

function insertIdToJson({ attempt: { insertId }, entry }: ListedAttempt): JsonObject {
  return insertId === undefined ? {} : { insertId: redactText(cutText(insertId, maxInsertIdLength), entry.ownToken) }
}
