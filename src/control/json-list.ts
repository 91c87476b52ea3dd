import type { JsonObject } from '../core/json.ts'
import { nextTurn } from '../core/timers.ts'
import type { JournalEntry } from '../journal/entry.ts'
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
  const chunks = () => listInChunks(entries, toJson, rest)
  return new CustomReply({ stream: { mediaType: 'application/json; charset=utf-8', chunks } })
}

async function* listInChunks(
  entries: readonly JournalEntry[],
  toJson: (entry: JournalEntry) => JsonObject,
  rest: JsonObject,
): AsyncGenerator<string> {
  yield '{"requests":['
  for (const [index, entry] of entries.entries()) {
    yield (index === 0 ? '' : ',') + JSON.stringify(toJson(entry))
    await nextTurn()
  }
  yield `],${JSON.stringify(rest).slice(1)}`
}

function storedBytes({ request, answer }: JournalEntry): number {
  return (request.body.bytes?.length ?? 0) + (answer.body.bytes?.length ?? 0)
}
