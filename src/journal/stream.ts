import type { JournalEntry } from './entry.ts'
import { entryToJson } from './entry-json.ts'
import { isShown, type JournalFilter } from './filter.ts'
import type { Journal } from './journal.ts'
import { nextEntry } from './wait-for-entry.ts'

/** What a reader follows. */
export interface Following {
  /** Undefined: every sandbox. */
  readonly sandbox: string | undefined
  readonly filter: JournalFilter
  /** Entries with a greater number. One that was never given out is another process's: then all that are held. */
  readonly after: number
  /** Between signs of life, milliseconds. */
  readonly heartbeatMs: number
}

/** Entries that go out in one piece. */
const atOnce = 100

/**
 * Entries as server-sent events, from now on until one of the signals is aborted. A slow reader is sent what the ring still holds when
 * it comes to read, and the gap is named; nothing is kept for it.
 */
export async function* follow(
  journal: Journal,
  { sandbox, filter, after, heartbeatMs }: Following,
  ends: readonly AbortSignal[],
): AsyncGenerator<string> {
  let last = after > journal.recorded ? 0 : after
  yield ': the journal, from now on\n\n'
  while (!ends.some(({ aborted }) => aborted)) {
    const { oldest } = journal
    if (oldest > last + 1) yield gap(last, oldest)
    const { text, upTo } = nextPiece(journal, sandbox, filter, last)
    last = upTo
    if (text !== '') yield text
    else if ((await nextEntry(journal, heartbeatMs, ends)) === 'time') yield ': still here\n\n'
  }
}

function nextPiece(journal: Journal, sandbox: string | undefined, filter: JournalFilter, after: number) {
  let text = ''
  let count = 0
  for (const entry of journal.entries({ sandbox, after })) {
    if (!isShown(entry, filter)) continue
    text += eventOf(entry)
    count += 1
    if (count === atOnce) return { text, upTo: entry.number }
  }
  return { text, upTo: journal.recorded }
}

function eventOf(entry: JournalEntry): string {
  return `event: request\nid: ${entry.number}\ndata: ${JSON.stringify(entryToJson(entry, { bodies: false }))}\n\n`
}

function gap(last: number, oldest: number): string {
  return `event: dropped\nid: ${oldest - 1}\ndata: ${JSON.stringify({ from: last + 1, to: oldest - 1 })}\n\n`
}
