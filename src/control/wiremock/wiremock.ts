import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { bodyToBase64, bodyToText } from '../../journal/entry-json.ts'
import { runWithTimeout } from '../../journal/run-with-timeout.ts'
import { ControlError, type ControlHandler, type ControlRequest } from '../control.ts'
import { resetSandbox } from '../sandboxes.ts'
import type { Seen } from '../seen.ts'
import { readPattern, urlOf } from './pattern.ts'

/** What a pattern found. */
interface Found {
  readonly entries: readonly JournalEntry[]
  readonly truncated: boolean
}

/** As long as a pattern may take over the whole journal, milliseconds: nobody else is answered meanwhile. */
const mostMs = 500

const tooSlow =
  `The pattern took longer than ${mostMs} ms and was given up. A regular expression with a repetition within a repetition, ` +
  'such as (a+)+, takes ever so long: write it without.'

/** What scripts written for WireMock ask under `/__admin`, in WireMock's own shapes; for the rest there are our own controls. */
export function wiremockHandlers(seen: Seen): Record<string, ControlHandler> {
  const { journal, journalSize } = seen
  const sandboxOf = ({ parameters }: ControlRequest) => String(parameters.query['sandbox'])
  const requestJournalDisabled = journalSize === 0

  const hasDropped = (request: ControlRequest) => journal.counts(sandboxOf(request)).dropped > 0

  function found(request: ControlRequest): Found | ControlError {
    const pattern = readPattern(isObject(request.body) ? request.body : {})
    if (!pattern.ok) return new ControlError(400, pattern.problem)
    const entries = [...journal.entries({ sandbox: sandboxOf(request) })]
    const answers = runWithTimeout(mostMs, () => entries.map(pattern.isMeant))?.value
    if (!answers) return new ControlError(400, tooSlow)
    const truncated = hasDropped(request) || answers.includes('open')
    return { entries: entries.filter((_, index) => answers[index] === 'yes'), truncated }
  }

  return {
    wiremockRequests(request) {
      const entries = [...journal.entries({ sandbox: sandboxOf(request), order: 'newest' })]
      const { limit } = request.parameters.query
      const shown = entries.slice(0, typeof limit === 'number' ? limit : entries.length)
      return {
        requests: shown.map((entry) => ({
          id: entry.id,
          request: shownRequest(entry),
          response: { status: entry.answer.status, headers: { ...entry.answer.headers } },
          wasMatched: entry.operation !== undefined,
        })),
        meta: { total: entries.length },
        truncated: hasDropped(request),
        requestJournalDisabled,
      }
    },
    wiremockCount(request) {
      const all = found(request)
      return all instanceof ControlError
        ? all
        : { count: all.entries.length, truncated: all.truncated, requestJournalDisabled }
    },
    wiremockFind(request) {
      const all = found(request)
      return all instanceof ControlError
        ? all
        : { requests: all.entries.map(shownRequest), truncated: all.truncated, requestJournalDisabled }
    },
    wiremockDeleteRequests(request) {
      journal.clear(sandboxOf(request))
      return {}
    },
    async wiremockReset(request) {
      await resetSandbox(seen, sandboxOf(request))
      return {}
    },
  }
}

function shownRequest(entry: JournalEntry): JsonObject {
  const { request, at } = entry
  const text = bodyToText(request.body)
  const body: Record<string, Json> =
    text === undefined ? { bodyAsBase64: bodyToBase64(request.body) } : { body: text }
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
