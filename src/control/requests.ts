import type { Json, JsonObject } from '../core/json.ts'
import { textBody } from '../exchange/body.ts'
import { entryToCurl } from '../journal/curl.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { entryToJson } from '../journal/entry-json.ts'
import { type JournalFilter, matchesFilter } from '../journal/filter.ts'
import type { Journal } from '../journal/journal.ts'
import { streamEntries } from '../journal/stream.ts'
import { ControlError, type ControlHandlers, type ControlRequest, CustomReply } from './handler.ts'

/** Dependencies of `requestHandlers`. */
export interface RequestHandlerDeps {
  readonly journal: Journal
  /** Aborted when the simulator stops, which ends the streams. */
  readonly stopping: AbortSignal
}

/** The query of `GET requests`, typed by the control document. */
interface ListQuery extends JournalFilter {
  readonly since: number
  readonly cursor?: number
  readonly limit: number
  readonly order: 'oldest' | 'newest'
  readonly bodies: boolean
}

/** Milliseconds between the comments on an idle stream, which keep a proxy from closing it. */
const heartbeatMs = 15_000

/** Handles `GET` and `DELETE requests`, `GET requests/{id}` and `GET requests/stream`: the journal. */
export function requestHandlers({
  journal,
  stopping,
}: RequestHandlerDeps): Pick<
  ControlHandlers,
  'listRequests' | 'getRequest' | 'deleteRequests' | 'streamRequests'
> {
  return {
    listRequests(request) {
      const query = request.parameters.query as unknown as ListQuery // typed by the control document
      return pageToJson(journal, request.sandboxFilter, query)
    },
    getRequest({ parameters: { path, query } }) {
      const entry = journal.find(String(path['id']))
      if (!entry) return new ControlError(404, notFoundMessage(String(path['id']), journal))
      if (query['format'] === 'curl')
        return new CustomReply({ body: textBody(entryToCurl(entry), 'text/plain; charset=utf-8') })
      return entryToJson(entry, { bodies: true })
    },
    deleteRequests(request) {
      const sandbox = request.sandboxFilter
      const { recorded, dropped } = journal.counts(sandbox)
      for (const name of sandbox === undefined ? journal.sandboxes() : [sandbox]) journal.clear(name)
      return { deleted: recorded - dropped }
    },
    streamRequests(request) {
      const sandbox = request.sandboxFilter
      const filter = request.parameters.query as unknown as JournalFilter // typed by the control document
      const after = readResumePoint(request) ?? journal.recorded
      return new CustomReply({
        stream: {
          mediaType: 'text/event-stream; charset=utf-8',
          chunks: (clientGone) =>
            streamEntries(journal, { sandbox, filter, after, heartbeatMs }, [clientGone, stopping]),
        },
      })
    },
  }
}

/** Returns the counts of a journal. `truncated`: the journal has dropped requests, so that a list of them is incomplete. */
function countsToJson(journal: Journal, sandbox: string | undefined): JsonObject {
  const { recorded, dropped } = journal.counts(sandbox)
  return { recorded, dropped, truncated: dropped > 0 }
}

function pageToJson(journal: Journal, sandbox: string | undefined, query: ListQuery): JsonObject {
  const { since, cursor, limit, order, bodies } = query
  const isOnPage = ({ number }: JournalEntry) =>
    cursor === undefined || (order === 'oldest' ? number > cursor : number < cursor)
  const requests: Json[] = []
  let total = 0
  let last: number | undefined
  let hasMore = false
  for (const entry of journal.entries({ sandbox, after: since, order })) {
    if (!matchesFilter(entry, query)) continue
    total += 1
    if (!isOnPage(entry)) continue
    if (requests.length === limit) hasMore = true
    else {
      requests.push(entryToJson(entry, { bodies }))
      last = entry.number
    }
  }
  const next = hasMore && last !== undefined && { next: last }
  return { requests, total, ...countsToJson(journal, sandbox), ...next }
}

function notFoundMessage(id: string, journal: Journal): string {
  const { dropped } = journal.counts(undefined)
  const why = dropped === 0 ? '' : ` The journal has dropped ${dropped} for want of room; see --journal-size.`
  return `The journal has no request "${id.slice(0, 80)}".${why}`
}

/** Returns the number after which a stream begins: `Last-Event-ID` of a browser that reconnects, else `since`; undefined: now. */
function readResumePoint({ headers, parameters }: ControlRequest): number | undefined {
  const sent = headers['last-event-id']
  if (sent !== undefined && /^\d{1,15}$/.test(sent)) return Number(sent)
  const since = parameters.query['since']
  return typeof since === 'number' ? since : undefined
}
