/** Playwright's HAR archives: a ZIP archive, or a folder, with a HAR file and the bodies that it names by `_file`. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json } from '../../../base/core/json.ts'
import { valueAt } from '../../../base/core/json-pointer.ts'
import { failure, type Result, reasonOf, success } from '../../../base/core/result.ts'
import { readOrdinaryFile } from '../../../base/documents/read-file.ts'

export type ReadBody = (name: string) => Uint8Array | undefined

/** Unpacks a ZIP archive in memory. The error is a sentence without its subject. */
export async function openZip(
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Result<{ readonly har: Uint8Array; readonly readBody: ReadBody }>> {
  const { unzipSync } = await import('fflate')
  let left = maxBytes
  try {
    const files = unzipSync(bytes, {
      filter({ originalSize }) {
        left -= originalSize
        return left >= 0
      },
    })
    if (left < 0) return failure(`is a ZIP archive of more than ${maxBytes / 1024 / 1024} MiB. Record less traffic.`)
    const [name = '', ...others] = Object.keys(files).filter((file) => file.endsWith('.har'))
    const har = files[name]
    if (!har || others.length > 0) return failure('is a ZIP archive without a HAR file, or with several. Unpack it.')
    return success({ har, readBody: (file) => (Object.hasOwn(files, file) ? files[file] : undefined) })
  } catch (error) {
    return failure(`is a ZIP archive that cannot be read: ${reasonOf(error)}. Record the traffic again.`)
  }
}

/** Returns the function that reads bodies in a folder, but none outside of it, and together at most `maxBytes`. */
export function readBodiesIn(folder: string, maxBytes: number): ReadBody {
  let left = maxBytes
  return (name) => {
    const path = join(folder, name)
    if (/^\.*$|[/\\\0]/.test(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
    const bytes = readOrdinaryFile(path, left)
    left -= bytes.length
    return bytes
  }
}

/** Puts the bodies of responses of a HAR document in its texts. Returns the name of a missing one, if any. */
export function attachBodies(document: Json, readBody: ReadBody): string | undefined {
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
