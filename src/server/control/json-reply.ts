import { type Json, type JsonObject, jsonPieces } from '../../base/core/json.ts'
import { chunksInSlices, resume } from '../../base/core/slices.ts'
import { textBody } from '../../service/exchange/body.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { type ControlError, CustomReply, JsonPieces, refuseBusy } from './handler.ts'
import { entryToHar } from './har-export.ts'
import { Slots } from './slots.ts'

/** The most characters of a response that are sent as one text. More are sent in slices. */
const maxWholeLength = 256 * 1024

/** The most long responses at a time: each holds a record of up to 1 MB several times until the client reads it. */
const maxLongResponses = 10

/**
 * Returns the reply with a value as JSON. A long one is a stream, which is written no faster than the client reads, and
 * between whose chunks other requests are handled.
 */
export type JsonReply = (value: Json | JsonPieces, clientGone: AbortSignal) => Promise<CustomReply | ControlError>

export function createJsonReply(): JsonReply {
  const slots = new Slots(maxLongResponses)
  return async (value, clientGone) => {
    const { pieces, mediaType } = value instanceof JsonPieces ? value : new JsonPieces(jsonPieces(value))
    const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
    let head = ''
    while (head.length <= maxWholeLength) {
      const { done, value: piece } = await iterator.next()
      if (done) return new CustomReply({ body: textBody(head, mediaType) })
      head += piece
    }
    if (!slots.take(clientGone)) return refuseBusy(`${maxLongResponses} long responses are being read already.`)
    return new CustomReply({ stream: { mediaType, chunks: () => chunksInSlices(resume(head, iterator)) } })
  }
}

/** Returns a HAR file (HTTP Archive 1.2). `rest`: further members of its log. */
export function writeHar(entries: readonly JournalEntry[], creator: JsonObject, rest: JsonObject): JsonPieces {
  const head = JSON.stringify({ log: { version: '1.2', creator, pages: [], ...rest } }).slice(0, -2)
  return new JsonPieces(harPieces(head, entries), 'application/har+json; charset=utf-8')
}

function* harPieces(head: string, entries: readonly JournalEntry[]): Generator<string> {
  yield `${head},"entries":[`
  for (const [index, entry] of entries.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(entryToHar(entry))
  yield ']}}'
}
