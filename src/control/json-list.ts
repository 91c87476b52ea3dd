import type { JsonObject } from '../core/json.ts'
import { nextTurn } from '../core/timers.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { entryToHar } from '../journal/har-export.ts'
import { CustomReply } from './handler.ts'

/** The most bytes of bodies that are sent as one text. More are sent entry by entry, so that other requests are answered meanwhile. */
const maxWholeBytes = 256 * 1024

/** Returns the reply `{"requests": [...], ...rest}` with an object for each entry, which contains the entry's bodies. */
export function replyWithEntries(
  entries: readonly JournalEntry[],
  toJson: (entry: JournalEntry) => JsonObject,
  rest: JsonObject,
): JsonObject | CustomReply {
  const bytes = entries.reduce((sum, entry) => sum + storedBytes(entry), 0)
  if (bytes <= maxWholeBytes) return { requests: entries.map(toJson), ...rest }
  const chunks = () => listInChunks('{"requests":[', entries, toJson, `],${JSON.stringify(rest).slice(1)}`)
  return new CustomReply({ stream: { mediaType: 'application/json; charset=utf-8', chunks } })
}

/** Returns the reply with a HAR file (HTTP Archive 1.2). `rest`: further members of its log. */
export function replyWithHar(
  entries: readonly JournalEntry[],
  creator: JsonObject,
  rest: JsonObject,
): CustomReply {
  const head = JSON.stringify({ log: { version: '1.2', creator, pages: [], ...rest } }).slice(0, -2)
  const chunks = () => listInChunks(`${head},"entries":[`, entries, entryToHar, ']}}')
  return new CustomReply({ stream: { mediaType: 'application/har+json; charset=utf-8', chunks } })
}

/** Yields a JSON text with the entries between its beginning and its end, so that other requests are answered meanwhile. */
async function* listInChunks(
  head: string,
  entries: readonly JournalEntry[],
  toJson: (entry: JournalEntry) => JsonObject,
  tail: string,
): AsyncGenerator<string> {
  yield head
  for (const [index, entry] of entries.entries()) {
    yield (index === 0 ? '' : ',') + JSON.stringify(toJson(entry))
    await nextTurn()
  }
  yield tail
}

function storedBytes({ request, answer }: JournalEntry): number {
  return (request.body.bytes?.length ?? 0) + (answer.body.bytes?.length ?? 0)
}
