import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, type Json, parseJson } from '../../../base/core/json.ts'
import { valueAt } from '../../../base/core/json-pointer.ts'
import { describeSyntaxError } from '../../../base/core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../../../base/core/result.ts'
import { cutText } from '../../../base/core/text.ts'
import { readFileOrPipe, readRegularFile, UnusableFileError } from '../../../base/documents/read-file.ts'
import { readHar } from './read-har.ts'
import type { AcceptedOrigins } from './recorded-exchange.ts'
import type { TrafficSample } from './sample.ts'

/** The maximum size, in bytes, of a file, of its unpacked contents, and of all its separate bodies together. */
const maxBytes = 256 * 1024 * 1024

export async function readTrafficFile(
  file: string,
  accepted: AcceptedOrigins = ['upstream'],
): Promise<Result<TrafficSample[]>> {
  let read: Result<TrafficSample[]>
  try {
    const bytes = await readFileOrPipe(file, maxBytes)
    read = await readTraffic(bytes, accepted, readBodiesIn(dirname(file)))
  } catch (error) {
    if (error instanceof UnusableFileError)
      return failure(`${file} ${error.message}. Export the traffic, or part of it, to a HAR file.`)
    return failure(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  return read.ok ? read : failure(`${file} ${read.error}`)
}

async function readTraffic(
  bytes: Uint8Array,
  accepted: AcceptedOrigins,
  readBody: ReadBody,
): Promise<Result<TrafficSample[]>> {
  const [first, second] = bytes
  if (first === 0x50 && second === 0x4b) {
    // PK: a ZIP archive
    const opened = await openZip(bytes)
    return opened.ok ? readTraffic(opened.value.har, accepted, opened.value.readBody) : opened
  }
  const text = new TextDecoder().decode(bytes) // removes a byte order mark
  if (text.trim() === '') return failure('is empty. Save the traffic again.')
  const document = parseJson(text)
  if (document === undefined) return failure(`is not JSON: ${describeSyntaxError(text)}.`)
  const missing = attachBodies(document, readBody)
  if (missing === undefined) return readHar(document, accepted)
  return failure(`refers to a body in "${cutText(missing)}", which is missing. Copy the whole folder or archive.`)
}

/** Reads a body from the ZIP archive or the HAR file's folder. Playwright's HAR files name such bodies in `_file`. */
type ReadBody = (name: string) => Uint8Array | undefined

/** Unpacks a ZIP archive in memory. The error is a sentence without its subject, the file. */
async function openZip(bytes: Uint8Array): Promise<Result<{ readonly har: Uint8Array; readonly readBody: ReadBody }>> {
  const { unzipSync } = await import('fflate')
  let left = maxBytes
  try {
    const files = unzipSync(bytes, {
      filter({ originalSize }) {
        left -= originalSize
        return left >= 0
      },
    })
    if (left < 0) return failure(`unpacks to more than ${maxBytes / 1024 / 1024} MiB. Record less traffic.`)
    const [name = '', ...others] = Object.keys(files).filter((file) => file.endsWith('.har'))
    const har = files[name]
    if (!har || others.length > 0) return failure('is a ZIP archive that does not contain exactly one HAR file.')
    return success({ har, readBody: (file) => (Object.hasOwn(files, file) ? files[file] : undefined) })
  } catch (error) {
    return failure(`is a ZIP archive that cannot be read: ${reasonOf(error)}. Record the traffic again.`)
  }
}

/** Returns a function that reads bodies from one folder only, and at most `maxBytes` in total. */
function readBodiesIn(folder: string): ReadBody {
  let left = maxBytes
  return (name) => {
    const path = join(folder, name)
    if (/^\.*$|[/\\\0]/.test(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
    const bytes = readRegularFile(path, left)
    left -= bytes.length
    return bytes
  }
}

/** Inserts response bodies from separate files into a HAR document. Returns the first missing file's name, if any. */
function attachBodies(document: Json, readBody: ReadBody): string | undefined {
  const list = valueAt(document, '/log/entries')
  for (const entry of Array.isArray(list) ? list : []) {
    const content = valueAt(entry, '/response/content')
    if (!isObject(content) || typeof content._file !== 'string') continue
    const bytes = readBody(content._file)
    if (!bytes) return content._file
    Object.assign(content, { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' })
  }
  return undefined
}
