import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  type YAMLError,
} from 'yaml'
import { type Flaw, type Json, parseJson } from '../core/json.ts'
import { joinPointer, parsePointer } from '../core/json-pointer.ts'
import { findSyntaxError, quoteCharacter } from '../core/json-syntax.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import { errorAt, type Findings, MAX_VALUES, type Source } from './source.ts'

/** The maximum number of syntax errors to report. Later errors are usually consequences of the first. */
const MAX_SYNTAX_ERRORS = 5

/** Parses YAML, and JSON as a subset of YAML. `file`: the path for the locations in findings. */
export function parseSource(text: string, file: string): Result<Source, Findings> {
  try {
    return readText(text, file)
  } catch (error) {
    // The library detects some errors, such as an alias without an anchor, only when it creates values.
    const message = isStackOverflow(error) ? TOO_DEEP : `cannot be read: ${reasonOf(error)}`
    return failure([errorAt(`${file}:1:1`, message)])
  }
}

function readText(text: string, file: string): Result<Source, Findings> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true })
  const locationOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  if (document.errors.length > 0) {
    const errors = listSyntaxErrors(document.errors, text, file)
    return failure(errors.map(({ at, message }) => errorAt(locationOf(at), message)))
  }
  if (document.contents === null) return failure([errorAt(`${file}:1:1`, 'is empty; expected YAML or JSON')])
  // YAML's core schema, the default, yields only JSON types, NaN and infinity. All uses of an alias share one value.
  let value = document.toJS({ maxAliasCount: -1 }) as Json
  const flaw = findTreeFlaw(value)
  if (flaw) return failure([errorAt(locationOf(findOffset(document, flaw.pointer)), flaw.message)])
  if (text.includes('*')) value = JSON.parse(JSON.stringify(value)) // each use of an alias gets its own value
  return success({ file, value, locate: (pointer) => locationOf(findOffset(document, pointer)) })
}

/** The maximum nesting depth of a file. Deeper nesting could make recursive functions overflow the stack. */
const MAX_LEVELS = 200
const TOO_DEEP = `is nested deeper than ${MAX_LEVELS} levels`

/** Messages by error code. They replace the library's messages, which address the callers of the library. */
const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  MULTIPLE_DOCS: 'starts a second document; a file can contain only one. Delete the line "---" and one document',
  DUPLICATE_KEY: 'is a duplicate key',
}

/** Returns the first errors from the YAML parser or, for a `.json` file that is not JSON, its first syntax error. */
function listSyntaxErrors(errors: readonly YAMLError[], text: string, file: string) {
  if (!/\.json$/i.test(file) || parseJson(text) !== undefined)
    return errors.slice(0, MAX_SYNTAX_ERRORS).map((error) => ({ at: error.pos[0], message: describeYamlError(error) }))
  const { at, expected } = findSyntaxError(text)
  const found = at === text.length ? 'ends here' : `has ${quoteCharacter(text, at)} here`
  return [{ at, message: `is not JSON: it ${found}, where ${expected} is expected` }]
}

function describeYamlError(error: YAMLError): string {
  if (isStackOverflow(error)) return TOO_DEEP
  // The library's message ends with the line and column, which the finding already contains.
  return messages[error.code] ?? error.message.split(/ at line \d+, column \d+/)[0] ?? error.message
}

const isStackOverflow = (error: unknown): boolean => reasonOf(error).includes('Maximum call stack size exceeded')

/** Returns the offset of the key or list item at a pointer, or of the nearest enclosing value if neither exists. */
function findOffset(document: Document, pointer: string): number {
  let node: unknown = document.contents
  let offset = offsetOfNode(node)
  for (const token of parsePointer(pointer)) {
    const member = findMember(isAlias(node) ? node.resolve(document) : node, token)
    if (member === undefined) break
    // A node without an offset gets the offset of the value around it.
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

const offsetOfNode = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)

const TOO_LARGE = `is too large: a file can have at most ${MAX_VALUES} values, counting every use of an alias`

/** Finds the first reason to refuse a value: size, depth, `__proto__`, a non-finite number, or a YAML alias cycle. */
export const findTreeFlaw = (root: Json): Flaw | undefined => findFlaw(root, '', { count: 0, parents: [] })

/** `visited`: the number of values so far, and the objects and lists that contain the current value. */
function findFlaw(value: Json, pointer: string, visited: { count: number; parents: object[] }): Flaw | undefined {
  visited.count += 1
  if (visited.count > MAX_VALUES) return { pointer, message: TOO_LARGE }
  // YAML has `.nan` and `.inf`, but JSON does not.
  if (typeof value === 'number' && !Number.isFinite(value)) return { pointer, message: 'must be a finite number' }
  if (typeof value !== 'object' || value === null) return undefined
  if (visited.parents.includes(value)) return { pointer, message: 'contains itself through an alias' }
  if (visited.parents.length === MAX_LEVELS) return { pointer, message: TOO_DEEP }
  visited.parents.push(value)
  for (const [name, member] of Object.entries(value)) {
    const at = joinPointer(pointer, name)
    const flaw = name === '__proto__' ? { pointer: at, message: NO_PROTO } : findFlaw(member, at, visited)
    if (flaw) return flaw
  }
  visited.parents.pop()
  return undefined
}

const NO_PROTO = '"__proto__" is not allowed as a member name: it has a special meaning in JavaScript'

export const formatYaml = (value: Json): string => stringify(value, { lineWidth: 120, singleQuote: true })

/** Appends items, each in flow style (`{ a: 1 }`), to a list in YAML or JSON. Comments are preserved. */
export function appendYaml(list: string, items: readonly Json[]): string {
  const document = parseDocument(list)
  for (const item of items) document.add(document.createNode(item, { flow: true }))
  return document.toString({ lineWidth: 0 })
}
