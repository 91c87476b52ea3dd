import type { JsonObject } from '../../base/core/json.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import { maxWorkMs } from '../../base/core/slices.ts'
import { cutText } from '../../base/core/text.ts'
import { redactText } from '../../base/redaction/redact.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { deliveryToJson, roundToMicroseconds } from '../journal/entry-json.ts'
import { findIdempotentOperations } from '../reports/call-key.ts'
import { findingsToJson } from '../reports/formats/json.ts'
import { retryRules } from '../reports/judge-retry.ts'
import { type ListedAttempt, type ListedChain, type RetryQuery, readRetryHistory } from '../reports/retry-history.ts'
import type { ControlDeps } from './deps.ts'
import { ControlError, type ControlHandlers, refuseUnused } from './handler.ts'

/** The most characters of an `insertId` that are shown. */
const maxInsertIdLength = 200

const tooLongMessage =
  `Finding the attempts of each call took more than ${maxWorkMs} ms and was given up. ` +
  'Forget the requests before the test begins (DELETE /__sim/requests), or give the test a sandbox of its own.'

const noHistory = { chains: [], further: 0, truncated: false }

/** Handles `GET retries`: the retry rules, what broke them, and the attempts of each call that failed. */
export function retryHandlers({ journal, reporter, contract, sandboxes }: ControlDeps) {
  const idempotentIn = memoizeLast((operations: Contract['operations']) => findIdempotentOperations({ operations }))
  return {
    async getRetries({ sandboxFilter: sandbox, parameters, source }) {
      const query = { ...(parameters.query as unknown as RetryQuery), sandbox } // typed by the control document
      const { truncated: hasLoss = false, ...problems } = await reporter.retries(sandbox)
      const history =
        query.limit === 0
          ? noHistory
          : await readRetryHistory(journal, query, idempotentIn(contract.operations), source.elapsed)
      // After the journal was read, which may bring sandboxes of other replicas.
      const refusal = refuseUnused(sandbox, sandboxes)
      if (refusal) return refusal
      if (!history) return new ControlError(400, tooLongMessage)
      const { chains, further, truncated } = history
      return {
        sandbox: sandbox ?? '*',
        rules: { ...retryRules },
        problems: findingsToJson(problems),
        chains: chains.map(chainToJson),
        further,
        truncated: truncated || hasLoss,
      }
    },
  } satisfies Partial<ControlHandlers>
}

function chainToJson({ first, chain, attempts, earlier }: ListedChain): JsonObject {
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
    parallel: chain.isParallel,
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
