import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '../../src/base/core/json.ts'
import { tempFolder } from './temp-folder.ts'

/** The parts of an exchange that differ from a GET with a JSON response. */
export interface HarParts {
  readonly method?: string
  /** The headers of the request. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
  /** The status of the response. Default: 200. */
  readonly status?: number
  /** The media type of the response. */
  readonly type?: string
}

/** Returns an entry for a HAR file. `body`: the response body; a string is used unchanged. */
export function harEntry(url: string, body: Json, parts: HarParts = {}) {
  const { method = 'GET', headers = [], status = 200, type = 'application/json' } = parts
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    startedDateTime: '2026-01-15T12:00:00.000Z',
    request: { method, url, headers },
    response: {
      status,
      headers: [{ name: 'content-type', value: type }],
      content: { size: Buffer.byteLength(text), mimeType: type, text },
    },
  }
}

/** Writes a HAR file, by default to a new folder, and returns the path of the file. */
export async function writeHar(entries: readonly object[], folder?: string): Promise<string> {
  const file = join(folder ?? (await tempFolder()), 'traffic.har')
  await writeFile(file, JSON.stringify({ log: { version: '1.2', creator: {}, entries } }))
  return file
}
