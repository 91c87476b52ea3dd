import type { Json, JsonObject } from '../core/json.ts'
import { entryToCurl } from '../journal/curl.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { entryToJson } from '../journal/entry-json.ts'
import { type JournalFilter, matchesFilter } from '../journal/filter.ts'
import type { Journal } from '../journal/journal.ts'
import { streamEntries } from '../journal/stream.ts'
import { ControlError, type ControlHandler, type ControlRequest, CustomReply } from './control.ts'
import type { Seen } from './seen.ts'

/** The query of `GET requests`, typed by the control document. */
interface ListQuery extends JournalFilter {
  readonly since: number
  readonly cursor?: number
  readonly limit: number
  readonly order: 'oldest' | 'newest'
  readonly bodies: boolean
}

/** A sign of life on a stream, so that nothing on the way takes it for dead; milliseconds. */
const heartbeatMs = 15_000

/** `GET/DELETE requests`, `GET requests/{id}`, `GET requests/stream`: the journal. */
export function requestHandlers({ journal, stopping }: Seen): Record<string, ControlHandler> {
  return {
    listRequests(request) {
      const query = request.parameters.query as unknown as ListQuery // typed by the control document
      return page(journal, journalSandbox(request), query)
    },
    getRequest({ parameters: { path, query } }) {
      const entry = journal.find(String(path['id']))
      if (!entry) return new ControlError(404, missing(String(path['id']), journal))
      if (query['format'] === 'curl')
        return new CustomReply({ body: entryToCurl(entry), mediaType: 'text/plain; charset=utf-8' })
      return entryToJson(entry, { bodies: true })
    },
    deleteRequests(request) {
      const sandbox = journalSandbox(request)
      const { recorded, dropped } = journal.counts(sandbox)
      for (const name of sandbox === undefined ? journal.sandboxes() : [sandbox]) journal.clear(name)
      return { deleted: recorded - dropped }
    },
    streamRequests(request) {
      const sandbox = journalSandbox(request)
      const filter = request.parameters.query as unknown as JournalFilter // typed by the control document
      const after = resumedAt(request) ?? journal.recorded
      return new CustomReply({
        mediaType: 'text/event-stream; charset=utf-8',
        stream: (gone) => streamEntries(journal, { sandbox, filter, after, heartbeatMs }, [gone, stopping]),
      })
    },
  }
}

/** The sandbox whose journal is asked for; undefined for `*`, all of them. */
export function journalSandbox({ parameters }: ControlRequest): string | undefined {
  const sandbox = String(parameters.query['sandbox'])
  return sandbox === '*' ? undefined : sandbox
}

/** What every answer says that counts: `truncated` where some were dropped, so that it is not the whole truth. */
function wholeness(journal: Journal, sandbox: string | undefined): JsonObject {
  const { recorded, dropped } = journal.counts(sandbox)
  return { recorded, dropped, truncated: dropped > 0 }
}

function page(journal: Journal, sandbox: string | undefined, query: ListQuery): JsonObject {
  const { since, cursor, limit, order, bodies } = query
  const isBehind = ({ number }: JournalEntry) =>
    cursor === undefined || (order === 'oldest' ? number > cursor : number < cursor)
  const shown: Json[] = []
  let total = 0
  let last: number | undefined
  let hasMore = false
  for (const entry of journal.entries({ sandbox, after: since, order })) {
    if (!matchesFilter(entry, query)) continue
    total += 1
    if (!isBehind(entry)) continue
    if (shown.length === limit) hasMore = true
    else {
      shown.push(entryToJson(entry, { bodies }))
      last = entry.number
    }
  }
  const next = hasMore && last !== undefined && { next: last }
  return { requests: shown, total, ...wholeness(journal, sandbox), ...next }
}

function missing(id: string, journal: Journal): string {
  const { dropped } = journal.counts(undefined)
  const why = dropped === 0 ? '' : ` The journal has dropped ${dropped} for want of room; see --journal-size.`
  return `The journal has no request "${id.slice(0, 80)}".${why}`
}

/** `Last-Event-ID` is what a browser sends when it comes back. */
function resumedAt({ headers, parameters }: ControlRequest): number | undefined {
  const sent = headers['last-event-id']
  if (sent !== undefined && /^\d{1,15}$/.test(sent)) return Number(sent)
  const since = parameters.query['since']
  return typeof since === 'number' ? since : undefined
}
