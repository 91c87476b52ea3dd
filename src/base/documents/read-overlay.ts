import { JSONPathJS } from 'jsonpath-js'
import overlaySchema from '../../../spec/overlay.schema.json' with { type: 'json' }
import { isObject, type Json, type JsonObject, type Violation } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { failure, joinResults, type Result, success } from '../core/result.ts'
import { loadSchema } from './load-schema.ts'
import { readSource } from './read-source.ts'
import { errorAt, type Finding, type Findings, type Source } from './source.ts'

/** A parsed and validated OpenAPI Overlay. A 1.0 overlay can use the features that 1.1 adds. */
export interface Overlay {
  readonly source: Source
  readonly actions: readonly OverlayAction[]
}

export interface OverlayAction {
  /** The JSON Pointer to the action in the overlay, such as `/actions/0`. */
  readonly pointer: string
  /** A JSONPath (RFC 9535), such as `$.paths['/events'].post`. */
  readonly target: string
  readonly kind: 'remove' | 'update' | 'copy'
  /** Returns the action's `update`, or the value that its `copy` selects in the document. */
  readUpdate(document: Json): Result<Json>
}

export interface SelectedNode {
  /** The member names and array indexes that lead to the value; empty for the whole document. */
  readonly tokens: readonly string[]
  readonly value: Json
}

/** Reads and validates an overlay (YAML or JSON). */
export async function readOverlay(file: string): Promise<Result<Overlay, Findings>> {
  const source = await readSource(file)
  return source.ok ? checkOverlay(source.value) : source
}

export async function checkOverlay(source: Source): Promise<Result<Overlay, Findings>> {
  const { value } = source
  if (!isOverlay(value))
    return failure([errorAt(source.locate(''), 'is not an OpenAPI Overlay: expected "overlay: 1.1.0" at the top')])
  const check = await loadSchema({ name: 'overlay', schema: overlaySchema })
  const violations = check(value)
  if (violations.length > 0) return failure(violations.map((violation) => createOverlayFinding(violation, source)))
  const actions = Array.isArray(value.actions) ? value.actions : []
  const read = joinResults(actions.map((action, index) => readAction(action, `/actions/${index}`, source)))
  return read.ok ? success({ source, actions: read.value }) : read
}

export const isOverlay = (value: Json): value is JsonObject => isObject(value) && 'overlay' in value

function createOverlayFinding({ pointer, message }: Violation, source: Source): Finding {
  const sentence =
    pointer === '/overlay'
      ? 'has an unsupported version: use 1.0.0 or 1.1.0'
      : `is not valid in an overlay: ${pointer || 'the file'} ${message}`
  return errorAt(source.locate(pointer), sentence)
}

function readAction(action: Json, pointer: string, source: Source): Result<OverlayAction, Findings> {
  const { target: path, update, copy, remove } = isObject(action) ? action : {}
  const fail = (member: string, message: string) =>
    failure([errorAt(source.locate(joinPointer(pointer, member)), message)])
  const [target, from] = [String(path), String(copy ?? '$')]
  if (!isJsonPath(target)) return fail('target', NO_PATH)
  if (!isJsonPath(from)) return fail('copy', NO_PATH)
  if (remove !== true && copy !== undefined && update !== undefined)
    return fail('copy', 'cannot be combined with "update"')
  if (remove !== true && copy === undefined && update === undefined)
    return fail('target', 'does nothing: add "update", "copy" or "remove: true"')
  const kind = remove === true ? 'remove' : copy === undefined ? 'update' : 'copy'
  return success({
    pointer,
    target,
    kind,
    readUpdate: (document) => (update === undefined ? selectOne(document, from) : success(update)),
  })
}

function selectOne(document: Json, path: string): Result<Json> {
  const [node, ...others] = select(document, path)
  if (node && others.length === 0) return success(structuredClone(node.value))
  return failure(`must match exactly one value; ${path} matches ${node ? others.length + 1 : 'none'}`)
}

const NO_PATH = "is not a JSONPath (RFC 9535); a name such as x-name needs brackets: $['x-name']"

function isJsonPath(text: string): boolean {
  try {
    return new JSONPathJS(text) !== undefined
  } catch {
    return false // the library's message lists every allowed character, which does not help
  }
}

/** Returns the nodes that a JSONPath selects, without duplicates. */
export function select(document: Json, path: string): SelectedNode[] {
  const found = new Map<string, SelectedNode>()
  for (const { segments, value } of new JSONPathJS(path).pathSegments(document)) {
    const tokens = segments.map(String)
    // The library returns parts of the given document, so they are JSON.
    found.set(joinPointer('', ...tokens), { tokens, value: value as Json })
  }
  return [...found.values()]
}
