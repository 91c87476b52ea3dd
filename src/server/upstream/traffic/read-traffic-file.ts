import { dirname } from 'node:path'
import { type Json, parseJson } from '../../../base/core/json.ts'
import { describeSyntaxError } from '../../../base/core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../../../base/core/result.ts'
import { cutText } from '../../../base/core/text.ts'
import { readFileOrPipe, UnusableFileError } from '../../../base/documents/read-file.ts'
import { attachBodies, openZip, type ReadBody, readBodiesIn } from './har-archive.ts'
import { type ReadOptions, readHar } from './read-har.ts'
import { readJournal } from './read-journal.ts'
import type { ReadTraffic } from './sample.ts'

/** The forms of recorded traffic: a HAR file, or an export of `GET /__sim/requests`. */
export type TrafficForm = 'har' | 'journal'

/** The largest file that is read. It is parsed as a whole, which takes several times its size in memory. */
const maxBytes = 256 * 1024 * 1024

/** Reads the samples of a file of recorded traffic. The error is a sentence that names the file. */
export async function readTrafficFile(
  file: string,
  form: TrafficForm,
  options: ReadOptions = { accepted: ['upstream'] },
): Promise<Result<ReadTraffic>> {
  let read: Result<ReadTraffic>
  try {
    const bytes = await readFileOrPipe(file, maxBytes)
    read = await readTraffic(bytes, form, options, readBodiesIn(dirname(file), maxBytes))
  } catch (error) {
    if (error instanceof UnusableFileError)
      return failure(`${file} ${error.message}. Export the traffic, or a part, to it.`)
    return failure(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  return read.ok ? read : failure(`${file} ${read.error}`)
}

async function readTraffic(
  bytes: Uint8Array,
  form: TrafficForm,
  options: ReadOptions,
  readBody: ReadBody,
): Promise<Result<ReadTraffic>> {
  if (form === 'har' && isZip(bytes)) {
    const opened = await openZip(bytes, maxBytes)
    return opened.ok ? readTraffic(opened.value.har, form, options, opened.value.readBody) : opened
  }
  const packed = findPackedForm(bytes)
  if (packed !== undefined) return failure(packed)
  const text = new TextDecoder().decode(bytes) // without a byte order mark
  if (text.trim() === '') return failure('is empty. Save the traffic again.')
  if (form === 'har') {
    const document = parseJson(text)
    if (document === undefined) return failure(`is no JSON: ${describeSyntaxError(text)}.`)
    const missing = attachBodies(document, readBody)
    if (missing === undefined) return readHar(document, options)
    return failure(`has a body in the file "${cutText(missing)}", which is not beside it. Copy the whole folder.`)
  }
  const documents = parseDocuments(text)
  return documents.ok ? readJournal(documents.value, options.accepted) : documents
}

const isZip = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b

/** Says how to unpack a file that is no text in UTF-8. */
function findPackedForm(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0x1f && second === 0x8b) return 'is compressed: unpack it with gzip -d.'
  if (isZip(bytes)) return 'is a ZIP archive: unpack it.'
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isWide ? 'is UTF-16: save it as UTF-8.' : undefined
}

/** Parses a file of JSON, or of lines of JSON. The error is a sentence without its subject. */
function parseDocuments(text: string): Result<Json[]> {
  const whole = parseJson(text)
  if (whole !== undefined) return success([whole])
  const values: Json[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = parseJson(line)
    if (parsed !== undefined) values.push(parsed)
    else {
      // Where the first line is no JSON already, the fault is one of the whole text.
      const fault = values.length === 0 ? describeSyntaxError(text) : describeSyntaxError(line, index + 1)
      return failure(`is no JSON, nor lines of JSON: ${fault}.`)
    }
  }
  return success(values)
}
