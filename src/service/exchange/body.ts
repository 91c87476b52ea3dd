import { fromLatin1, toLatin1, utf8ToLatin1 } from '../../base/core/bytes.ts'
import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'

/** The body of a reply. It never changes, so its encoding can be computed once and shared. */
export interface Body {
  readonly value: Json
  /** `application/json; charset=utf-8` unless the body is text of another type. */
  readonly mediaType: string
  /** Is true for a body that a fixture has word for word, which need not keep the rules of `x-simulated-values`. */
  readonly isExact?: true
  /** Is true for an example of the document, or a body made from its schema: a fault of it is one of the document. */
  readonly isDocumented?: true
  /** Returns the encoded body with one character for each byte, encoded on the first call. */
  latin1(): string
  bytes(): Uint8Array
}

/** Creates a JSON body, of another media type of JSON if named. The caller must not change the value afterwards. */
export function jsonBody(value: Json, mediaType = 'application/json; charset=utf-8'): Body {
  return createBody(value, mediaType, () => JSON.stringify(value))
}

export const exactBody = (value: Json): Body => ({ ...jsonBody(value), isExact: true })

export const textBody = (text: string, mediaType: string): Body => createBody(text, mediaType, () => text)

export function encodedBody(bytes: Uint8Array, mediaType: string, value: Json = null): Body {
  return { value, mediaType, latin1: once(() => toLatin1(bytes)), bytes: () => bytes }
}

function createBody(value: Json, mediaType: string, text: () => string): Body {
  const latin1 = once(() => utf8ToLatin1(text()))
  return { value, mediaType, latin1, bytes: once(() => fromLatin1(latin1())) }
}
