import { dirname } from 'node:path'
import { parseJson } from '../../../base/core/json.ts'
import { describeSyntaxError } from '../../../base/core/json-syntax.ts'
import { failure, type Result, reasonOf } from '../../../base/core/result.ts'
import { cutText } from '../../../base/core/text.ts'
import { readFileOrPipe, UnusableFileError } from '../../../base/documents/read-file.ts'
import { attachBodies, openZip, type ReadBody, readBodiesIn } from './har-archive.ts'
import { readHar } from './read-har.ts'
import type { AcceptedOrigins } from './recorded-exchange.ts'
import type { TrafficSample } from './sample.ts'

/** The largest file that is read. It is parsed as a whole, which takes several times its size in memory. */
const maxBytes = 256 * 1024 * 1024

export async function readTrafficFile(
  file: string,
  accepted: AcceptedOrigins = ['upstream'],
): Promise<Result<TrafficSample[]>> {
  let read: Result<TrafficSample[]>
  try {
    const bytes = await readFileOrPipe(file, maxBytes)
    read = await readTraffic(bytes, accepted, readBodiesIn(dirname(file), maxBytes))
  } catch (error) {
    if (error instanceof UnusableFileError)
      return failure(`${file} ${error.message}. Export the traffic, or a part, to it.`)
    return failure(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  return read.ok ? read : failure(`${file} ${read.error}`)
}

async function readTraffic(
  bytes: Uint8Array,
  accepted: AcceptedOrigins,
  readBody: ReadBody,
): Promise<Result<TrafficSample[]>> {
  if (isZip(bytes)) {
    const opened = await openZip(bytes, maxBytes)
    return opened.ok ? readTraffic(opened.value.har, accepted, opened.value.readBody) : opened
  }
  const text = new TextDecoder().decode(bytes) // without a byte order mark
  if (text.trim() === '') return failure('is empty. Save the traffic again.')
  const document = parseJson(text)
  if (document === undefined) return failure(`is no JSON: ${describeSyntaxError(text)}.`)
  const missing = attachBodies(document, readBody)
  if (missing === undefined) return readHar(document, accepted)
  return failure(`has a body in the file "${cutText(missing)}", which is not beside it. Copy the whole folder.`)
}

const isZip = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b
