import { chunksInSlices } from '../../base/core/slices.ts'
import { matchOutcome, type RequestMatch, type RequestQuery, requestConditions } from '../../service/exchange/match.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { entryToJson } from '../journal/entry-json.ts'
import type { Journal, JournalSlice } from '../journal/journal.ts'
import { toMatchSubject } from '../journal/match.ts'

export interface StreamOptions {
  /** The name of a sandbox; undefined for all. */
  readonly sandbox: string | undefined
  readonly filter: JournalFilter
  readonly bodies: boolean
  /** The number after which the stream begins. */
  readonly after: number
  /** Milliseconds between comments that hold an idle connection open. */
  readonly heartbeatMs: number
}

/** The most entries that are read at a time. */
const maxEntriesPerPiece = 100

/**
 * Yields entries as server-sent events until one of the signals `ends` is aborted. Nothing is buffered for a slow
 * reader: it gets the entries that are still stored when it reads, and an event `dropped` names the numbers between. An
 * event `cleared` says that entries were deleted, by a reset for example.
 */
export async function* streamEntries(
  journal: Journal,
  { sandbox, filter, bodies, after, heartbeatMs }: StreamOptions,
  ends: readonly AbortSignal[],
): AsyncGenerator<string> {
  const matches = createFilter(filter)
  let last = after
  let { generation } = await journal.counts(sandbox)
  yield ': the journal, from now on\n\n'
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
      yield ': still here\n\n'
  }
}

/** Returns the events about entries that were deleted since a generation, or evicted after `last`; empty for none. */
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

/** The conditions of `GET /__sim/requests`. The path is the one that was sent, with the sandbox's base path. */
export type JournalFilter = Pick<RequestQuery, 'operation'> &
  Pick<RequestMatch, 'status' | 'method' | 'origin' | 'path' | 'violations' | 'advice' | 'damage' | 'traceId'>

/** No condition of a filter asks for them. */
const noSubjects = { models: () => [], products: () => [] }

export function createFilter({ operation, ...match }: JournalFilter): (entry: JournalEntry) => boolean {
  const conditions = requestConditions({ operation, match })
  return (entry) => {
    const subject = { ...toMatchSubject(entry, noSubjects), paths: [entry.request.path] }
    return matchOutcome(conditions, subject) === 'yes'
  }
}
