import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** The content of an answer in a HAR file. */
export interface HarContent {
  /** Undefined: it is not recorded, or only a part of it. */
  readonly body: Uint8Array | undefined
  /** The media type of the answer; undefined: the file does not know it. */
  readonly mediaType: string | undefined
}

/** Reads the content of an answer. `isOurs`: convsim exported it, redacted, so that its size says nothing. */
export function readContent(content: Json | undefined, isOurs: boolean): HarContent {
  if (!isObject(content)) return { body: undefined, mediaType: undefined }
  const { mimeType } = content
  const isKnown = typeof mimeType === 'string' && mimeType !== '' && mimeType !== 'x-unknown'
  const bytes = readBytes(content)
  const isWhole = bytes !== undefined && !(isOurs ? saysPart(content) : isShort(bytes, content.size))
  return { body: isWhole ? bytes : undefined, mediaType: isKnown ? mimeType : undefined }
}

function readBytes({ text, encoding, size }: JsonObject): Uint8Array | undefined {
  if (typeof text === 'string') return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  return size === 0 ? new Uint8Array() : undefined
}

/** Returns true for the content of which our export says that only a part was recorded. */
const saysPart = ({ comment }: JsonObject) =>
  typeof comment === 'string' && / of \d+ bytes were recorded\.$/.test(comment)

/** Returns true for a text that is shorter than its size says, unless it is JSON: then a tool redacted it, or left its byte order mark out. */
function isShort(bytes: Uint8Array, size: Json | undefined): boolean {
  if (typeof size !== 'number' || bytes.length >= size) return false
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return false
  } catch {
    return true
  }
}
