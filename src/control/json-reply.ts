import { type Json, type JsonObject, jsonPieces } from '../core/json.ts'
import { chunksInSlices } from '../core/slices.ts'
import { jsonBody } from '../exchange/body.ts'
import { storedBytes } from '../journal/capture-body.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { CustomReply } from './handler.ts'
import { entryToHar } from './har-export.ts'

const mediaType = 'application/json; charset=utf-8'

/** The most characters of an answer, or bytes of its bodies, that are sent as one text. More are sent in slices. */
const maxWholeLength = 256 * 1024

/** Returns the reply with a value as JSON. A long one is a stream, so that other requests are answered meanwhile. */
export function replyWithJson(value: Json): CustomReply {
  const pieces = jsonPieces(value)
  let head = ''
  while (head.length <= maxWholeLength) {
    const { done, value: piece } = pieces.next()
    if (done) return new CustomReply({ body: jsonBody(value) })
    head += piece
  }
  return new CustomReply({ stream: { mediaType, chunks: () => chunksInSlices(prepend(head, pieces)) } })
}

function* prepend(head: string, pieces: Iterable<string>): Generator<string> {
  yield head
  yield* pieces
}

/** Returns the reply `{"requests": [...], ...rest}` with an object for each entry, bodies included. */
export function replyWithEntries(
  entries: readonly JournalEntry[],
  toJson: (entry: JournalEntry) => JsonObject,
  rest: JsonObject,
): JsonObject | CustomReply {
  const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
  if (bytes <= maxWholeLength) return { requests: entries.map(toJson), ...rest }
  const tail = `],${JSON.stringify(rest).slice(1)}`
  const chunks = () => chunksInSlices(listPieces('{"requests":[', entries, toJson, tail))
  return new CustomReply({ stream: { mediaType, chunks } })
}

/** Returns the reply with a HAR file (HTTP Archive 1.2). `rest`: further members of its log. */
export function replyWithHar(entries: readonly JournalEntry[], creator: JsonObject, rest: JsonObject): CustomReply {
  const head = JSON.stringify({ log: { version: '1.2', creator, pages: [], ...rest } }).slice(0, -2)
  const chunks = () => chunksInSlices(listPieces(`${head},"entries":[`, entries, entryToHar, ']}}'))
  return new CustomReply({ stream: { mediaType: 'application/har+json; charset=utf-8', chunks } })
}

/** Yields a JSON text with the entries between its beginning and its end. */
function* listPieces(
  head: string,
  entries: readonly JournalEntry[],
  toJson: (entry: JournalEntry) => JsonObject,
  tail: string,
): Generator<string> {
  yield head
  for (const [index, entry] of entries.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(toJson(entry))
  yield tail
}

/** Returns the bytes of an entry's bodies, and about those of its heads. */
function entryBytes({ request, answer }: JournalEntry): number {
  return 1000 + storedBytes(request.body) + storedBytes(answer.body)
}
