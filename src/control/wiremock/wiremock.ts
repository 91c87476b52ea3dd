/** WireMock's habits: its requests under `/__admin`, answered in WireMock's own JSON. `pattern.ts` reads its request patterns. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { runWithTimeout } from '../../core/run-with-timeout.ts'
import type { MatchOutcome } from '../../exchange/match.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { bodyToBase64, bodyToText } from '../../journal/entry-json.ts'
import type { JournalReader } from '../../journal/reader.ts'
import { maxWorkMs, visitInSlices } from '../../journal/slices.ts'
import { ControlError, type ControlHandlers, type ControlRequest } from '../handler.ts'
import { replyWithEntries } from '../json-list.ts'
import { hasExpression, readPattern, urlOf } from './pattern.ts'

/** Dependencies of `wiremockHandlers`. */
export interface WiremockHandlerDeps {
  readonly journal: JournalReader
  /** Value of `--journal-size`; 0: the journal records nothing. */
  readonly journalSize: number
  /** Brings the sandbox of this name back to the start. */
  readonly resetSandbox: (name: string) => Promise<void>
}

/** The entries that match a pattern. */
interface PatternMatches {
  readonly entries: readonly JournalEntry[]
  /** True: the journal has dropped requests, or bodies on which the match depends. */
  readonly truncated: boolean
}

/** Milliseconds after which a slice of the work is broken off; it ends by itself after fewer, except within a regular expression. */
const maxSliceMs = 40

const timeoutMessage =
  `The pattern took longer than ${maxSliceMs} ms for a request, or ${maxWorkMs} ms for all, and was given up. A regular expression with a repetition within a repetition, ` +
  'such as (a+)+, takes ever so long: write it without.'

/** Handles the requests of scripts written for WireMock, which `http/app.ts` maps from `/__admin` to `/__sim/wiremock`. */
export function wiremockHandlers({
  journal,
  journalSize,
  resetSandbox,
}: WiremockHandlerDeps): Pick<
  ControlHandlers,
  'wiremockRequests' | 'wiremockCount' | 'wiremockFind' | 'wiremockDeleteRequests' | 'wiremockReset'
> {
  const requestJournalDisabled = journalSize === 0

  async function findMatches(request: ControlRequest): Promise<Result<PatternMatches, ControlError>> {
    const pattern = readPattern(isObject(request.body) ? request.body : {})
    if (!pattern.ok) return failure(new ControlError(400, pattern.error))
    const { entries, counts } = await journal.list({ sandbox: request.sandbox })
    const outcomes: MatchOutcome[] = []
    const visit = (entry: JournalEntry, index: number) => {
      outcomes[index] = pattern.value(entry)
    }
    const runBriefly = (slice: () => void) => runWithTimeout(maxSliceMs, slice) !== undefined
    const run = hasExpression(request.body ?? null) ? runBriefly : undefined
    if (!(await visitInSlices(entries, request.elapsed, visit, run)))
      return failure(new ControlError(400, timeoutMessage))
    const truncated = counts.dropped > 0 || outcomes.includes('open')
    return success({ entries: entries.filter((_, index) => outcomes[index] === 'yes'), truncated })
  }

  return {
    async wiremockRequests(request) {
      const { entries, counts } = await journal.list({ sandbox: request.sandbox, order: 'newest' })
      const { limit } = request.parameters.query
      const listed = entries.slice(0, typeof limit === 'number' ? limit : entries.length)
      return {
        requests: listed.map((entry) => ({
          id: entry.id,
          request: requestToJson(entry),
          response: { status: entry.answer.status, headers: { ...entry.answer.headers } },
          wasMatched: entry.operation !== undefined,
        })),
        meta: { total: entries.length },
        truncated: counts.dropped > 0,
        requestJournalDisabled,
      }
    },
    async wiremockCount(request) {
      const matches = await findMatches(request)
      if (!matches.ok) return matches.error
      const { entries, truncated } = matches.value
      return { count: entries.length, truncated, requestJournalDisabled }
    },
    async wiremockFind(request) {
      const matches = await findMatches(request)
      if (!matches.ok) return matches.error
      const { entries, truncated } = matches.value
      return replyWithEntries(entries, requestToJson, { truncated, requestJournalDisabled })
    },
    async wiremockDeleteRequests(request) {
      await journal.clear(request.sandbox)
      return {}
    },
    async wiremockReset(request) {
      await resetSandbox(request.sandbox)
      return {}
    },
  }
}

function requestToJson(entry: JournalEntry): JsonObject {
  const { request, at, ownToken } = entry
  const text = bodyToText(request.body, ownToken)
  const body: Record<string, Json> =
    text === undefined ? { bodyAsBase64: bodyToBase64(request.body, ownToken) } : { body: text }
  return {
    url: urlOf(entry),
    absoluteUrl: `http://${request.headers['host'] ?? ''}${urlOf(entry)}`,
    method: request.method,
    headers: { ...request.headers },
    ...body,
    loggedDate: at,
    loggedDateString: new Date(at).toISOString(),
  }
}
