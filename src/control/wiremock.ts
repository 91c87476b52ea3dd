import type { Entry } from '../journal/entry.ts'
import { textOf } from '../journal/view.ts'
import { readPattern, urlOf } from '../journal/wiremock.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { type ControlHandler, type ControlRequest, Refused } from './control.ts'
import { resetSandbox } from './sandboxes.ts'
import type { Seen } from './seen.ts'

/** What scripts written for WireMock ask under `/__admin`, in WireMock's own shapes; for the rest there are our own controls. */
export function wiremockHandlers(seen: Seen): Record<string, ControlHandler> {
  const { journal, journalSize } = seen
  const sandboxOf = ({ parameters }: ControlRequest) => String(parameters.query['sandbox'])
  const requestJournalDisabled = journalSize === 0

  function found(request: ControlRequest): Entry[] | Refused {
    const pattern = readPattern(isObject(request.body) ? request.body : {})
    if (!pattern.ok) return new Refused(400, pattern.problem)
    return [...journal.entries({ sandbox: sandboxOf(request) })].filter(pattern.isMeant)
  }

  return {
    wiremockRequests(request) {
      const entries = [...journal.entries({ sandbox: sandboxOf(request), first: 'newest' })]
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
        requestJournalDisabled,
      }
    },
    wiremockCount(request) {
      const entries = found(request)
      return entries instanceof Refused
        ? entries
        : {
            count: entries.length,
            truncated: journal.tally(sandboxOf(request)).dropped > 0,
            requestJournalDisabled,
          }
    },
    wiremockFind(request) {
      const entries = found(request)
      return entries instanceof Refused
        ? entries
        : { requests: entries.map(shownRequest), requestJournalDisabled }
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

function shownRequest(entry: Entry): JsonObject {
  const { request, at } = entry
  const text = textOf(request.body)
  const body: Record<string, Json> =
    text === undefined
      ? { bodyAsBase64: Buffer.from(request.body.bytes ?? []).toString('base64') }
      : { body: text }
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
