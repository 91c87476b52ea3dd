import { JSONPathJS } from 'jsonpath-js'
import overlaySchema from '../../../spec/overlay.schema.json' with { type: 'json' }
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { failure, joinResults, type Result, reasonOf, success } from '../core/result.ts'
import type { Violation } from '../core/violation.ts'
import { errorAt, type Finding, type Findings } from './finding.ts'
import { loadSchema } from './load-schema.ts'
import { readSource } from './read-source.ts'
import type { Source } from './source.ts'

/** An OpenAPI Overlay 1.0 or 1.1 that was read and checked. */
export interface Overlay {
  readonly source: Source
  readonly actions: readonly OverlayAction[]
}

/** A change to the places of a document that a JSONPath selects. */
export interface OverlayAction {
  /** The pointer of the action within the overlay: `/actions/0`. */
  readonly pointer: string
  readonly target: JsonPath
  readonly change:
    | { readonly kind: 'remove' }
    | { readonly kind: 'update'; readonly value: Json }
    /** `from`: the path of the update within the document. */
    | { readonly kind: 'copy'; readonly from: JsonPath }
  /** True for an overlay 1.1, whose target can also be a text, a number, a boolean or null. */
  readonly changesPrimitives: boolean
}

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

/** Reads and checks an overlay (YAML or JSON). The error has a finding with its line for each fault. */
export async function readOverlay(file: string): Promise<Result<Overlay, Findings>> {
  const source = await readSource(file)
  return source.ok ? checkOverlay(source.value) : source
}

export async function checkOverlay(source: Source): Promise<Result<Overlay, Findings>> {
  const { value } = source
  if (!isOverlay(value))
    return failure([errorAt(source.place(''), 'is no OpenAPI Overlay: "overlay: 1.1.0" is expected at its top')])
  const check = await loadSchema({ name: 'overlay', schema: overlaySchema })
  const violations = check(value)
  if (violations.length > 0) return failure(violations.map((violation) => createOverlayFinding(violation, source)))
  const actions = Array.isArray(value.actions) ? value.actions : []
  const isOld = String(value.overlay).startsWith('1.0.')
  const read = joinResults(actions.map((action, index) => readAction(action, `/actions/${index}`, source, isOld)))
  return read.ok ? success({ source, actions: read.value }) : read
}

export const isOverlay = (value: Json): value is JsonObject => isObject(value) && 'overlay' in value

function createOverlayFinding({ pointer, message }: Violation, source: Source): Finding {
  const sentence =
    pointer === '/overlay'
      ? 'has a version that is not understood: 1.0.0 and 1.1.0 are'
      : `is not valid in an overlay: ${pointer || 'the file'} ${message}`
  return errorAt(source.place(pointer), sentence)
}

function readAction(action: Json, pointer: string, source: Source, isOld: boolean): Result<OverlayAction, Findings> {
  const { target, update, copy, remove } = isObject(action) ? action : {}
  const fail = (member: string, message: string) =>
    failure([errorAt(source.place(joinPointer(pointer, member)), message)])
  const parsed = parseJsonPath(String(target))
  if (!parsed.ok) return fail('target', `is no JSONPath: ${parsed.error}`)
  const common = { pointer, target: parsed.value, changesPrimitives: !isOld }
  if (remove === true) return success({ ...common, change: { kind: 'remove' } })
  if (copy !== undefined && update !== undefined) return fail('copy', 'cannot stand beside "update": use one')
  if (update !== undefined) return success({ ...common, change: { kind: 'update', value: update } })
  if (copy === undefined) return fail('target', 'has nothing to do: add "update", "copy" or "remove: true"')
  if (isOld) return fail('copy', 'needs "overlay: 1.1.0" at the top; 1.0 has no "copy"')
  const from = parseJsonPath(String(copy))
  if (!from.ok) return fail('copy', `is no JSONPath: ${from.error}`)
  return success({ ...common, change: { kind: 'copy', from: from.value } })
}

/** The length after which a message of the parser is cut: it lists every character that could stand at the place. */
const MAX_EXPECTED = 12

/** Parses a JSONPath. The error says what is wrong at which character. */
function parseJsonPath(text: string): Result<JsonPath> {
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
