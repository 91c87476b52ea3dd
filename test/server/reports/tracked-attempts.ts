import type { JsonObject } from '../../../src/base/core/json.ts'
import type { JournalEntry, Recorded } from '../../../src/server/journal/entry.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { RetryFindings } from '../../../src/server/reports/client-findings.ts'
import { TrafficFindings } from '../../../src/server/reports/findings.ts'
import { type DeliveryOutcome, delivered } from '../../../src/service/exchange/reply.ts'
import { entryFor, unparsed } from '../journal/entries.ts'

/** The delivery outcome if the client closed the connection before any of the response body arrived. */
const lost: DeliveryOutcome = { kind: 'client-gone', sentBytes: 0 }

const bothWaits = { 'Retry-After': '3', 'retry-after-ms': '2500' }

/**
 * Creates a tracker for retries. `correct` marks a response as lost. `rules` lists the rule of each retry problem.
 *
 * `send` records an attempt that is described by text, such as `0-5 429 wait id=a #1`. The text consists of the times
 * when the attempt began and ended, in milliseconds (one number means both), the status, and any of these words:
 *
 * - `id=a`: the event has this `insertId` (default: `a`); `v=2`: its member `v` is 2 (default: 1); `dated`: it has an
 *   `eventAt`; `later`: its `eventAt` is one second after that of `dated`; `plain`: it has no `insertId` or `eventAt`;
 *   `corrected`: like `plain`, plus one member; `empty`: the body is `{}`; `call=7`: the body is `{ "call": "7" }`
 * - `#1`: the request has `Retry-Attempt: 1`; `stainless=1`: it has `X-Stainless-Retry-Count: 1`; `wait=1`: the
 *   response has `Retry-After: 1`; `wait`: it has both `Retry-After` and `retry-after-ms`; `lost`: no response
 *   body arrived; `unread`: the response body was damaged; `left`: the client disconnected early; `head=1`, `open=-50`,
 *   `now=0`: `headSentAt`, `openedAt` and `now` of the journal entry
 */
export function createRetryTracker(idempotentOperations = new Set(['createEvent'])) {
  const journal = new Journal(100)
  const findings = new TrafficFindings()
  const retries = new RetryFindings(findings, idempotentOperations, 1000)
  journal.onEntry((entry, live) => (live.isCorrection ? retries.correct(entry, live) : retries.record(entry, live)))
  const send = (attempt: string) => {
    const exchange = exchangeOf(journal, attempt)
    journal.record(...exchange)
    return exchange
  }
  const correct = ([entry, live]: Recorded, endedAt: number) => {
    const end = { delivery: lost, endedAt, headSentAt: undefined, hasClientLeft: true }
    journal.correct(entry.number, end, () => ({ ...live, isCorrection: true }))
  }
  const rules = () =>
    findings.retries.toList().list.flatMap(({ members, count }) => Array.from({ length: count }, () => members['rule']))
  return { findings, send, correct, rules }
}

function exchangeOf(journal: Journal, attempt: string): Recorded {
  const [times = '', status, ...words] = attempt.trim().split(' ')
  const [at = 0, end = at] = times.split('-').map(Number)
  const has = (word: string) => words.includes(word)
  const textOf = (name: string) => words.find((word) => word.startsWith(name))?.slice(name.length)
  const numberOf = (name: string) => (textOf(name) === undefined ? undefined : Number(textOf(name)))
  const header = (name: string, value = '') => (value === '' ? {} : { [name]: value })
  const entry: JournalEntry = {
    ...entryFor(journal, {
      request: {
        headers: {
          'user-agent': 'test',
          'content-type': 'application/json',
          ...header('retry-attempt', textOf('#')),
          ...header('x-stainless-retry-count', textOf('stainless=')),
        },
      },
      response: {
        status: Number(status),
        headers: has('wait') ? bothWaits : header('Retry-After', textOf('wait=')),
      },
      requestBody: JSON.stringify(bodyOf(has, textOf)),
    }),
    at,
    now: numberOf('now=') ?? 0,
    delivery: deliveryOf(has),
    receivedAt: at,
    endedAt: end,
    headSentAt: has('unread') ? 0 : numberOf('head='),
    openedAt: numberOf('open='),
    hasClientLeft: has('left'),
  }
  return [entry, { ...unparsed, token: 'k' }]
}

function deliveryOf(has: (word: string) => boolean): DeliveryOutcome {
  if (has('lost')) return lost
  return has('unread') ? { kind: 'damaged' } : delivered
}

function bodyOf(has: (word: string) => boolean, textOf: (name: string) => string | undefined): JsonObject {
  if (has('empty')) return {}
  const call = textOf('call=')
  if (call !== undefined) return { call }
  const event = { v: Number(textOf('v=') ?? 1) }
  if (has('plain')) return event
  if (has('corrected')) return { ...event, corrected: true }
  const time = has('later') ? '2026-01-15T12:00:01Z' : '2026-01-15T12:00:00Z'
  return { insertId: textOf('id=') ?? 'a', ...event, ...((has('dated') || has('later')) && { eventAt: time }) }
}
