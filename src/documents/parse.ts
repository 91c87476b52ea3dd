import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml'
import type { Json } from '../core/json.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { failure, type Result, reasonOf } from '../core/result.ts'
import type { Finding, Findings } from './finding.ts'
import type { Source } from './source.ts'

/** After a slip of the pen a parser finds fault with all that follows; more than these help nobody. */
const SYNTAX_ERRORS = 5

/** Reads YAML; `file` is only for the places. JSON is read as the YAML that it is. */
export function parseSource(text: string, file: string): Result<Source, Findings> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  if (document.errors.length > 0) {
    return failure(
      document.errors.slice(0, SYNTAX_ERRORS).map((error): Finding => {
        // The library repeats the place and quotes the line below its sentence; the place is ours to say.
        const sentence = error.message.split(/ at line \d+, column \d+/)[0] ?? error.message
        return { severity: 'error', place: at(error.pos[0]), message: sentence }
      }),
    )
  }
  let value: Json
  try {
    // Proved by the core schema: no tags of other types are resolved, so only JSON's types can come out.
    value = document.toJS({ maxAliasCount: 1000 }) as Json
  } catch (error) {
    // An alias without an anchor, or aliases of aliases that would fill the memory.
    const place = at(unresolvedAlias(document) ?? 0)
    return failure([{ severity: 'error', place, message: `cannot be expanded: ${reasonOf(error)}` }])
  }
  return { ok: true, value: { file, value, place: (pointer) => at(offsetOf(document, pointer)) } }
}

/** Where a pointer's key (or list item) begins; the nearest one around it where it points at nothing. */
function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const token of parsePointer(pointer)) {
    const member = memberOf(isAlias(node) ? node.resolve(document) : node, token)
    if (member === undefined) break
    // Something that the parser made up (an empty value) stands nowhere.
    offset = startOf(member.start) || offset
    node = member.value
  }
  return offset
}

function memberOf(node: unknown, token: string): { start: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === token)
    return pair && { start: pair.key, value: pair.value }
  }
  const item = isSeq(node) ? node.items[Number(token)] : undefined
  return item === undefined ? undefined : { start: item, value: item }
}

function unresolvedAlias(document: Document): number | undefined {
  let found: number | undefined
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined
      found = startOf(alias)
      return visit.BREAK
    },
  })
  return found
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
