import { chunksInSlices, mapEach } from '../../base/core/slices.ts'
import { matchOutcome, type RequestMatch, type RequestQuery, requestConditions } from '../../service/exchange/match.ts'
import { textBody } from '../../service/exchange/reply.ts'
import { findUnknownOperation } from '../../service/scenarios/rule-match-problems.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { entryToJson, listReasons, toMatchSubject } from '../journal/entry-json.ts'
import type { Journal, JournalSlice } from '../journal/journal.ts'
import { entryToCurl } from '../reports/request-trace.ts'
import { ControlError, type ControlRequest, CustomReply, createSlots, type HandlerGroup } from './handler.ts'
import { entriesToHar } from './har-export.ts'

interface ListQuery extends JournalFilter {
  readonly since: number
  readonly cursor?: number
  readonly limit: number
  readonly order: 'oldest' | 'newest'
  readonly bodies: boolean
  readonly format: 'json' | 'har'
}

const maxStreams = 100

export const requestHandlers: HandlerGroup = ({ journal, served, stopping }) => {
  const advice = 'Retry when one of them has ended, or poll GET /__sim/requests?since= instead.'
  const takeSlot = createSlots(maxStreams, `${maxStreams} streams of the journal are already open. ${advice}`)
  const refuseUnknown = (operation: string | undefined) => {
    const problem = findUnknownOperation(operation, served().contract.operations)
    return problem === undefined ? undefined : new ControlError(400, problem)
  }
  return {
    listRequests(request) {
      const query = request.parameters.query as unknown as ListQuery // typed by the control document
      return refuseUnknown(query.operation) ?? listPage(journal, request.sandboxFilter, query)
    },
    async getRequest({ parameters: { path, query } }) {
      const id = String(path['id'])
      const entry = await journal.find(id)
      if (!entry) return new ControlError(404, await notFoundMessage(id, journal))
      if (query['format'] === 'curl')
        return new CustomReply({ body: textBody(entryToCurl(entry), 'text/plain; charset=utf-8') })
      return { ...entryToJson(entry, { bodies: true }), why: listReasons(entry) }
    },
    async deleteRequests(request) {
      return { deleted: await journal.clear(request.sandboxFilter) }
    },
    async streamRequests(request) {
      const { bodies, ...filter } = request.parameters.query as unknown as JournalFilter & Pick<ListQuery, 'bodies'>
      const refused = refuseUnknown(filter.operation)
      if (refused) return refused
      const { latest } = await journal.list({ limit: 0 })
      const options = { sandbox: request.sandboxFilter, filter, bodies, after: readResumePoint(request, latest) }
      const chunks = (exchangeEnded: AbortSignal) => streamEntries(journal, options, [exchangeEnded, stopping])
      const stream = { mediaType: 'text/event-stream; charset=utf-8', chunks }
      return takeSlot(request.exchangeEnded) ?? new CustomReply({ stream })
    },
  }
}

async function listPage(journal: Journal, sandbox: string | undefined, query: ListQuery): Promise<object> {
  const { since, cursor, limit, order, bodies, format } = query
  const { entries, counts: totals } = await journal.list({ sandbox, after: since, order, asStored: true })
  const matching = entries.filter(createFilter(query))
  const isAfterCursor = (number: number) =>
    cursor === undefined || (order === 'oldest' ? number > cursor : number < cursor)
  const remaining = matching.filter(({ number }) => isAfterCursor(number))
  const page = remaining.slice(0, limit)
  const last = page.at(-1)
  const counts = {
    total: matching.length,
    recorded: totals.recorded,
    dropped: totals.dropped,
    truncated: totals.dropped > 0,
    ...(last && remaining.length > limit && { next: last.number }),
  }
  if (format === 'har') return entriesToHar(page, counts)
  return { requests: mapEach(page, (entry) => entryToJson(entry, { bodies })), ...counts }
}

async function notFoundMessage(id: string, journal: Journal): Promise<string> {
  const { dropped } = await journal.counts(undefined)
  const why = dropped === 0 ? '' : ` Requests dropped so far: ${dropped}; see --journal-size and --sandbox-limit.`
  return `The journal has no request "${id.slice(0, 80)}".${why}`
}

/** Returns the number of the last entry to skip; 0 if `Last-Event-ID` exceeds `latest`, for example after a restart. */
function readResumePoint({ source: { headers }, parameters }: ControlRequest, latest: number): number {
  const sent = headers['last-event-id']
  if (sent !== undefined && /^\d{1,15}$/.test(sent)) return Number(sent) > latest ? 0 : Number(sent)
  const since = parameters.query['since']
  return typeof since === 'number' ? since : latest
}

export interface StreamOptions {
  readonly sandbox: string | undefined
  readonly filter: JournalFilter
  readonly bodies: boolean
  readonly after: number
  /** Milliseconds between the comments that keep a proxy from closing an idle stream. */
  readonly heartbeatMs?: number
}

const maxEntriesPerPiece = 100

/**
 * Yields entries as server-sent events until one of the signals in `ends` is aborted. Nothing is buffered for a slow
 * reader: the reader gets the entries that are still stored when it reads, and a `dropped` event with the range of the
 * entries that it missed. A `cleared` event says that entries were deleted, for example by a reset.
 */
export async function* streamEntries(
  journal: Journal,
  { sandbox, filter, bodies, after, heartbeatMs = 15_000 }: StreamOptions,
  ends: readonly AbortSignal[],
): AsyncGenerator<string> {
  const matches = createFilter(filter)
  let last = after
  let { generation } = await journal.counts(sandbox)
  yield ': journal entries follow\n\n'
  while (!ends.some(({ aborted }) => aborted)) {
    const slice = await journal.list({ sandbox, after: last, limit: maxEntriesPerPiece, asStored: true })
    const losses = formatLosses(slice, generation, last)
    if (losses !== '') yield losses
    generation = slice.counts.generation
    const isLastPiece = slice.entries.length < maxEntriesPerPiece
    const { latest } = slice
    last = Math.max(last, isLastPiece ? latest : (slice.entries.at(-1)?.number ?? latest))
    const matching = slice.entries.filter(matches)
    if (matching.length > 0) yield* chunksInSlices(formatEntries(matching, bodies))
    else if (isLastPiece && (await journal.waitForChange(slice.version, heartbeatMs, ends)) === 'time')
      yield ': heartbeat\n\n'
  }
}

/** Returns a `cleared` event if `generation` is outdated, and a `dropped` event if entries after `last` are gone. */
function formatLosses({ counts, oldest }: JournalSlice, generation: number, last: number): string {
  const isCleared = generation !== 0 && counts.generation !== generation
  const gap = JSON.stringify({ from: last + 1, to: oldest - 1 })
  const dropped = oldest > last + 1 ? `event: dropped\nid: ${oldest - 1}\ndata: ${gap}\n\n` : ''
  return (isCleared ? 'event: cleared\ndata: {}\n\n' : '') + dropped
}

function* formatEntries(entries: readonly JournalEntry[], bodies: boolean): Generator<string> {
  for (const entry of entries)
    yield `event: request\nid: ${entry.number}\ndata: ${JSON.stringify(entryToJson(entry, { bodies }))}\n\n`
}

/** The filters of the request list and stream. `path` is matched as sent, including a prefix such as `/_s/NAME`. */
type JournalFilter = Pick<RequestQuery, 'operation'> &
  Pick<RequestMatch, 'status' | 'method' | 'origin' | 'path' | 'violations' | 'advice' | 'damage' | 'traceId'>

function createFilter({ operation, ...match }: JournalFilter): (entry: JournalEntry) => boolean {
  const conditions = requestConditions({ operation, match })
  return (entry) => {
    const subject = { ...toMatchSubject(entry), paths: [entry.request.path] }
    return matchOutcome(conditions, subject) === 'yes'
  }
}
