import { groupBy } from '../../../base/core/group-by.ts'
import { visitInSlices } from '../../../base/core/slices.ts'
import { cutText } from '../../../base/core/text.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { entryToJson, isComplete } from '../../journal/entry-json.ts'
import type { Journal } from '../../journal/journal.ts'
import { isIgnoredRequest } from '../traffic-collector.ts'
import { RetryTracker, type TrackedAttempt } from './tracker.ts'

interface ListedAttempt extends TrackedAttempt {
  readonly chain: NonNullable<TrackedAttempt['chain']>
  readonly entry: JournalEntry
}

export interface RetryQuery {
  readonly sandbox: string | undefined
  readonly minAttempts: number
  /** The ID of a request, to list only the chain that contains it; undefined for all chains. */
  readonly request?: string
  readonly limit: number
}

const maxAttempts = 50
const maxInsertIdLength = 200

/**
 * Finds the chains of attempts in the journal and judges them by the same rules as `RetryFindings`. Returns the latest
 * `limit` chains, or undefined if this takes too long. In the result, `further` is the number of older chains, and
 * `truncated` is true if the journal lacks earlier requests or parts of request bodies. `elapsed` returns the
 * milliseconds since a fixed time.
 */
export async function readRetryHistory(
  journal: Journal,
  { sandbox, minAttempts, request, limit }: RetryQuery,
  idempotentOperations: ReadonlySet<string>,
  elapsed: () => number,
) {
  if (limit === 0) return { chains: [], further: 0, truncated: false }
  const { entries, counts } = await journal.list({ sandbox })
  const trackers = new Map<string, RetryTracker>()
  const attempts: ListedAttempt[] = []
  let hasPartialBody = false // without its whole body, a request cannot be assigned to a call
  const visit = (entry: JournalEntry) => {
    if (isIgnoredRequest(entry)) return
    if (!isComplete(entry.request.body)) {
      hasPartialBody = true
      return
    }
    const tracker = trackers.get(entry.sandbox) ?? new RetryTracker(idempotentOperations, Number.POSITIVE_INFINITY)
    trackers.set(entry.sandbox, tracker)
    const tracked = tracker.record(entry, { requestBody: undefined, token: tokenOf(entry) })
    if (tracked?.chain) attempts.push({ entry, ...tracked, chain: tracked.chain })
  }
  if (!(await visitInSlices(entries, elapsed, visit))) return undefined
  const chains = [...groupBy(attempts, ({ entry, chain }) => `${entry.sandbox} ${chain.name}`).values()]
    .filter((chain) => chain.length >= minAttempts)
    .filter((chain) => request === undefined || chain.some(({ entry }) => entry.id === request))
    .sort((a, b) => latestNumber(b) - latestNumber(a))
  return {
    chains: chains.slice(0, limit).flatMap(chainToJson),
    further: Math.max(0, chains.length - limit),
    truncated: counts.dropped > 0 || hasPartialBody,
  }
}

/** Returns the `Authorization` token or, in a shared journal, its hash; undefined if absent or too short to redact. */
const tokenOf = ({ caller, authorization, ownToken }: JournalEntry) =>
  caller ?? (authorization === undefined ? undefined : ownToken)

const latestNumber = (chain: readonly ListedAttempt[]) => chain.at(-1)?.entry.number ?? 0

function chainToJson(chain: readonly ListedAttempt[]) {
  const [first] = chain
  if (!first) return []
  const attempts = chain.slice(-maxAttempts)
  const { id, sandbox, operation, request } = first.entry
  const { method, path, query } = request
  const call = { id, sandbox, operation, method, path, query }
  return {
    ...call,
    insertId: showInsertId(first),
    parallel: attempts.at(-1)?.chain.isParallel === true,
    attempts: attempts.map(attemptToJson),
    earlier: chain.length - attempts.length,
  }
}

function attemptToJson(listed: ListedAttempt) {
  const { entry, attempt, waitedMs, problems } = listed
  const { id, number, at, now, tookMs, response, delivery, damage } = entryToJson(entry, { bodies: false })
  const common = { id, number, at, now, tookMs, delivery, damage }
  return {
    ...common,
    status: response.status,
    outcome: attempt.outcome,
    insertId: showInsertId(listed),
    waitedMs: waitedMs === undefined ? undefined : Math.max(0, Math.round(waitedMs)),
    retryAfterMs: attempt.retryAfterMs,
    findings: problems.map(({ rule, sentence }) => ({ rule, sentence })),
  }
}

function showInsertId({ attempt, entry }: ListedAttempt): string | undefined {
  const { insertId } = attempt.call
  return insertId && redactText(cutText(insertId, maxInsertIdLength), entry.ownToken)
}
