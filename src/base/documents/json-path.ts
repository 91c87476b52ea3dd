import { JSONPathJS } from 'jsonpath-js'
import type { Json } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'

/** A value that a path selects. */
export interface SelectedNode {
  /** The names of members and the indexes of items that lead to the value; empty for the whole document. */
  readonly tokens: readonly string[]
  readonly value: Json
}

/** A JSONPath (RFC 9535): `$.paths['/events'].post`. */
export interface JsonPath {
  readonly text: string
  /** Returns the selected values, each once, in the order of the document. */
  select(document: Json): readonly SelectedNode[]
}

/** The length after which a message of the parser is cut: it lists every character that could stand at the place. */
const MAX_EXPECTED = 12

/** Parses a JSONPath. The error says what is wrong at which character. */
export function parseJsonPath(text: string): Result<JsonPath> {
  let query: JSONPathJS
  try {
    query = new JSONPathJS(text)
  } catch (error) {
    return failure(describePathError(text, error))
  }
  return success({
    text,
    select(document) {
      const found = new Map<string, SelectedNode>()
      for (const { segments, value } of query.pathSegments(document)) {
        const tokens = segments.map(String)
        // The library returns parts of the given document, which is JSON.
        found.set(joinPointer('', ...tokens), { tokens, value: value as Json })
      }
      return [...found.values()]
    },
  })
}

function describePathError(text: string, error: unknown): string {
  // An error of the parser has the offset; another exception has none.
  const offset = (error as { location?: { start?: { offset?: number } } } | undefined)?.location?.start?.offset
  if (offset === undefined) return reasonOf(error)
  const found = offset >= text.length ? 'it ends too early' : `"${text[offset]}" is not expected`
  const before = text.slice(Math.max(0, offset - MAX_EXPECTED), offset)
  const hint = text[offset] === '-' || text[offset] === '/' ? "; write such a name in brackets: ['x-name']" : ''
  return `${found} at character ${offset + 1}${before && ` behind ${before}`}${hint}`
}
