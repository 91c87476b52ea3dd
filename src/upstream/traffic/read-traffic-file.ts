import { readFile, stat } from 'node:fs/promises'
import type { Json } from '../../core/json.ts'
import { describeSyntaxError } from '../../core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { type ReadOptions, readHar } from './read-har.ts'
import { readJournal } from './read-journal.ts'
import { parseJson } from './recorded-exchange.ts'
import type { ReadTraffic } from './sample.ts'

/** The forms of recorded traffic: a HAR file, or an export of `GET /__sim/requests`. */
export type TrafficForm = 'har' | 'journal'

/** The largest files that are read, MiB. A journal is parsed as a whole. */
const maxSize: Readonly<Record<TrafficForm, number>> = { har: 1024, journal: 256 }

/** Reads the samples of a file of recorded traffic. The error is a sentence that names the file. */
export async function readTrafficFile(
  file: string,
  form: TrafficForm,
  options: ReadOptions = { accepted: ['upstream'] },
): Promise<Result<ReadTraffic>> {
  let bytes: Uint8Array
  try {
    const { size } = await stat(file)
    if (size > maxSize[form] * 1024 * 1024)
      return failure(
        `${file} is larger than ${maxSize[form]} MiB, which is the most that is read. Export a part of the traffic.`,
      )
    bytes = await readFile(file)
  } catch (error) {
    return failure(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  const read = form === 'har' ? readHar(bytes, options) : readJournalFile(bytes, options)
  return read.ok ? read : failure(`${file} ${read.error}`)
}

function readJournalFile(bytes: Uint8Array, { accepted }: ReadOptions): Result<ReadTraffic> {
  const documents = parseDocuments(
    Buffer.from(bytes)
      .toString()
      .replace(/^\uFEFF/, ''),
  )
  return documents.ok ? readJournal(documents.value, accepted) : documents
}

/** Parses a file of JSON, or of lines of JSON. The error is a sentence without its subject. */
function parseDocuments(text: string): Result<Json[]> {
  const whole = parseJson(text)
  if (whole) return success([whole.value])
  const values: Json[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = parseJson(line)
    if (parsed) values.push(parsed.value)
    else {
      const start = { line: index + 1, column: 1 }
      // Where the first line is no JSON already, the fault is one of the whole text.
      const fault = values.length === 0 ? describeSyntaxError(text) : describeSyntaxError(line, start)
      return failure(`is no JSON, nor lines of JSON: ${fault}.`)
    }
  }
  return values.length > 0 ? success(values) : failure('is empty. Save the traffic anew.')
}
