import { type JsonObject, jsonPieces } from '../../base/core/json.ts'
import { mapEach } from '../../base/core/slices.ts'
import { textBody } from '../../service/exchange/body.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { findUnknownOperation } from '../../service/scenarios/rule-match-problems.ts'
import { entryToJson } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { entryToCurl } from '../reports/curl.ts'
import type { ControlDeps } from './deps.ts'
import {
  ControlError,
  type ControlHandlers,
  type ControlRequest,
  CustomReply,
  JsonPieces,
  refuseBusy,
} from './handler.ts'
import { writeHar } from './json-reply.ts'
import { Slots } from './slots.ts'
import { createFilter, type JournalFilter, streamEntries } from './stream-entries.ts'

/** The query of `GET requests`, typed by the control document. */
interface ListQuery extends JournalFilter {
  readonly since: number
  readonly cursor?: number
  readonly limit: number
  readonly order: 'oldest' | 'newest'
  readonly bodies: boolean
  readonly format: 'json' | 'har'
}

/** Milliseconds between the comments on an idle stream, which keep a proxy from closing it. */
const heartbeatMs = 15_000

/** The most streams at a time: each reads every new entry. */
const maxStreams = 100

const tooManyStreams = refuseBusy(
  `There are ${maxStreams} streams of the journal already. Or poll GET requests?since= instead.`,
)

/** Handles `GET` and `DELETE requests`, `GET requests/{id}` and `GET requests/stream`: the journal. */
export function requestHandlers({ journal, contract, stopping }: ControlDeps) {
  const streams = new Slots(maxStreams)
  return {
    listRequests(request) {
      const query = request.parameters.query as unknown as ListQuery // typed by the control document
      const problem = findUnknownOperation(query.operation, contract.operations)
      if (problem !== undefined) return new ControlError(400, problem)
      return pageToJson(journal, request.sandboxFilter, query)
    },
    async getRequest({ parameters: { path, query } }) {
      const entry = await journal.find(String(path['id']))
      if (!entry) return new ControlError(404, await notFoundMessage(String(path['id']), journal))
      if (query['format'] === 'curl')
        return new CustomReply({ body: textBody(entryToCurl(entry), 'text/plain; charset=utf-8') })
      return entryToJson(entry, { bodies: true })
    },
    async deleteRequests(request) {
      return { deleted: await journal.clear(request.sandboxFilter) }
    },
    async streamRequests(request) {
      const sandbox = request.sandboxFilter
      const { bodies, ...filter } = request.parameters.query as unknown as JournalFilter & Pick<ListQuery, 'bodies'>
      const problem = findUnknownOperation(filter.operation, contract.operations)
      if (problem !== undefined) return new ControlError(400, problem)
      const { latest } = await journal.list({ limit: 0 })
      const after = readResumePoint(request, latest) ?? latest
      if (!streams.take(request.clientGone)) return tooManyStreams
      return new CustomReply({
        stream: {
          mediaType: 'text/event-stream; charset=utf-8',
          chunks: (clientGone) =>
            streamEntries(journal, { sandbox, filter, bodies, after, heartbeatMs }, [clientGone, stopping]),
        },
      })
    },
  } satisfies Partial<ControlHandlers>
}

async function pageToJson(journal: Journal, sandbox: string | undefined, query: ListQuery): Promise<JsonPieces> {
  const { since, cursor, limit, order, bodies, format } = query
  const { entries, counts: recorded } = await journal.list({ sandbox, after: since, order, asStored: true })
  const matching = entries.filter(createFilter(query))
  const isAfterCursor = (number: number) =>
    cursor === undefined || (order === 'oldest' ? number > cursor : number < cursor)
  const remaining = matching.filter(({ number }) => isAfterCursor(number))
  const page = remaining.slice(0, limit)
  const last = page.at(-1)
  const counts = {
    total: matching.length,
    recorded: recorded.recorded,
    dropped: recorded.dropped,
    truncated: recorded.dropped > 0,
    ...(last && remaining.length > limit && { next: last.number }),
  }
  if (format === 'har') return writeHar(page, { name: 'convsim', version }, toCustomFields(counts))
  return new JsonPieces(jsonPieces({ requests: mapEach(page, (entry) => entryToJson(entry, { bodies })), ...counts }))
}

/** Returns members under names that begin with an underscore, as a HAR file wants those that are not its own. */
const toCustomFields = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`_${name}`, value]))

async function notFoundMessage(id: string, journal: Journal): Promise<string> {
  const { dropped } = await journal.counts(undefined)
  const why = dropped === 0 ? '' : ` It has dropped ${dropped}; see --journal-size and --sandbox-limit.`
  return `The journal has no request "${id.slice(0, 80)}".${why}`
}

/**
 * Returns the number to stream after: `Last-Event-ID` of a browser that reconnects, else `since`; undefined for now.
 * An id above the latest one is of a process before, so that the stream begins with the oldest entry.
 */
function readResumePoint({ source: { headers }, parameters }: ControlRequest, latest: number): number | undefined {
  const sent = headers['last-event-id']
  if (sent !== undefined && /^\d{1,15}$/.test(sent)) return Number(sent) > latest ? 0 : Number(sent)
  const since = parameters.query['since']
  return typeof since === 'number' ? since : undefined
}
