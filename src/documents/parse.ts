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
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import { findTreeFault, MAX_LEVELS } from './check-tree.ts'
import type { Finding, Findings } from './finding.ts'
import type { Source } from './source.ts'

/** The largest number of syntax errors in the findings: later ones are mostly consequences of the first. */
const MAX_SYNTAX_ERRORS = 5

/**
 * Parses YAML, and JSON as a subset of YAML.
 * @param file the path of the file, for the places of findings
 * @returns findings if the text is not a single valid document
 */
export function parseSource(text: string, file: string): Result<Source, Findings> {
  const lines = new LineCounter()
  const document = parseText(text, lines)
  if (document === undefined) return failure([{ severity: 'error', place: file, message: TOO_DEEP }])
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  if (document.errors.length > 0) {
    return failure(
      document.errors.slice(0, MAX_SYNTAX_ERRORS).map((error): Finding => {
        // The library's message ends with the place and the line, which the finding has already.
        const sentence = isStackOverflow(error)
          ? TOO_DEEP
          : (error.message.split(/ at line \d+, column \d+/)[0] ?? error.message)
        return { severity: 'error', place: placeOf(error.pos[0]), message: sentence }
      }),
    )
  }
  let value: Json
  try {
    // YAML's core schema, the default, yields only values of JSON's types.
    value = document.toJS({ maxAliasCount: 1000 }) as Json
  } catch (error) {
    // An alias has no anchor, or the aliases expand to more than `maxAliasCount` allows.
    const place = placeOf(findUnresolvedAlias(document) ?? 0)
    const message = isStackOverflow(error) ? TOO_DEEP : `cannot be expanded: ${reasonOf(error)}`
    return failure([{ severity: 'error', place, message }])
  }
  const fault = findTreeFault(value)
  if (fault) {
    const place = placeOf(findOffset(document, fault.pointer))
    return failure([{ severity: 'error', place, message: fault.message }])
  }
  return success({ file, value, place: (pointer) => placeOf(findOffset(document, pointer)) })
}

const TOO_DEEP = `is nested deeper than ${MAX_LEVELS} levels`

/** Parses the text; undefined where it is nested so deeply that the parser has no room on the stack. */
function parseText(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, { lineCounter })
  } catch (error) {
    if (isStackOverflow(error)) return undefined
    throw error
  }
}

/** Returns true for the error of a stack that is full; the parser wraps it in an error of its own. */
function isStackOverflow(error: unknown): boolean {
  return reasonOf(error).includes('Maximum call stack size exceeded')
}

/** Returns the offset of the key or list item at a pointer; if there is none, the offset of the nearest value around it. */
function findOffset(document: Document, pointer: string): number {
  let node: unknown = document.contents
  let offset = offsetOfNode(node)
  for (const token of parsePointer(pointer)) {
    const member = findMember(isAlias(node) ? node.resolve(document) : node, token)
    if (member === undefined) break
    // An empty value, which the parser adds, has no offset.
    offset = offsetOfNode(member.start) || offset
    node = member.value
  }
  return offset
}

function findMember(node: unknown, token: string): { start: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === token)
    return pair && { start: pair.key, value: pair.value }
  }
  const item = isSeq(node) ? node.items[Number(token)] : undefined
  return item === undefined ? undefined : { start: item, value: item }
}

/** Returns the offset of the first alias without an anchor; undefined if there is none. */
function findUnresolvedAlias(document: Document): number | undefined {
  let found: number | undefined
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined
      found = offsetOfNode(alias)
      return visit.BREAK
    },
  })
  return found
}

function offsetOfNode(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
